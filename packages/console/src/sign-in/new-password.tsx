import type { LoggedIn } from '@svc/client/sign-in'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { isRefused, SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { words } from '../words/sign-in/words.ts'
import type { SignInActs } from './acts.ts'
import type { Challenge } from './challenge.ts'
import { attemptOf, explained, passwordFault, rememberDevice } from './password-login.ts'

interface Pending {
  readonly identifier: string
  readonly confirm: (code: string) => Promise<LoggedIn>
}

/** The registration of a password. An e-mail address counts once the code from a mail is entered. */
export interface NewPassword {
  /** While the code is awaited. */
  readonly pending: Pending | null
  register(grant: () => Promise<string>, identifier: string, password: string): Promise<void>
  confirm(code: string): Promise<void>
}

export function useNewPassword(
  signIn: SignInActs,
  challenge: Challenge,
  onDone: (entered: LoggedIn) => Promise<void>,
): NewPassword {
  const [pending, setPending] = useState<Pending | null>(null)
  // Of an attempt that failed, whose grant may have set the password already: the next one goes on with it.
  const begun = useRef<{ readonly identifier: string; readonly grant: string } | null>(null)
  const finish = async (entered: LoggedIn) => {
    rememberDevice(entered)
    setPending(null)
    await onDone(entered)
  }
  return {
    pending,
    async register(grant, identifier, password) {
      if (identifier.trim() === '') throw new SaidError(words.enterName)
      const fault = passwordFault(password)
      if (fault !== null) throw new SaidError(fault)
      const earlier = begun.current?.identifier === identifier ? begun.current.grant : null
      const spent = earlier ?? (await grant())
      begun.current = { identifier, grant: spent }
      const failed = (error: unknown) => {
        if (isRefused(error, 'code_unusable')) begun.current = null
        return explained(error)
      }
      const made = await signIn.register(spent, identifier, password, attemptOf()).catch(async (error: unknown) => {
        if (!isRefused(error, 'challenge_required')) return failed(error)
        const attempt = attemptOf(await challenge.token('login'))
        return signIn.register(spent, identifier, password, attempt).catch(failed)
      })
      // The earlier password may be the one that is set, so another attempt with it must stay possible.
      if (made.outcome === 'taken' && earlier !== null) throw new SaidError(words.maybeSet)
      begun.current = null
      switch (made.outcome) {
        case 'signed-in':
          return finish(made)
        case 'taken':
          throw new SaidError(words.nameTaken)
        case 'confirm-by-mail':
          return setPending({ identifier, confirm: (code) => made.confirm(code) })
      }
    },
    async confirm(code) {
      if (!/^\d{6}$/.test(code.trim())) throw new SaidError(words.enterSixDigits)
      if (pending) await finish(await pending.confirm(code.trim()))
    },
  }
}

interface NewPasswordFieldsProps {
  readonly label?: string
  /** Below the name, and below the password. */
  readonly hints: readonly [name: string, password: string]
  readonly identifier: string
  readonly onIdentifier: (identifier: string) => void
  readonly password: string
  readonly onPassword: (password: string) => void
  /** Between the two. */
  readonly children?: ComponentChildren
}

/** A name, and a password that nobody has used yet. */
export function NewPasswordFields({ label = words.newPassword, hints, children, ...values }: NewPasswordFieldsProps) {
  return (
    <>
      <Field
        label={words.name}
        value={values.identifier}
        onValue={values.onIdentifier}
        autocomplete="username"
        hint={hints[0]}
      />
      {children}
      <Field
        label={label}
        isSecret
        value={values.password}
        onValue={values.onPassword}
        autocomplete="new-password"
        maxLength={1024}
        hint={hints[1]}
      />
    </>
  )
}

export function MailCode({ registration }: { readonly registration: NewPassword }) {
  const [code, setCode] = useState('')
  return (
    <Form onSend={() => registration.confirm(code)}>
      <p class="note">{words.mailSent(registration.pending?.identifier ?? '')}</p>
      <Field
        label={words.mailCode}
        value={code}
        onValue={setCode}
        autocomplete="one-time-code"
        inputMode="numeric"
        maxLength={6}
      />
      <Button>{words.confirm}</Button>
    </Form>
  )
}
