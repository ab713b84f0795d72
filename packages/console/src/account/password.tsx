import type { LoggedIn, SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import type { SignInActs } from '../sign-in/acts.ts'
import type { Challenge } from '../sign-in/challenge.ts'
import { MailCode, NewPasswordFields, useNewPassword } from '../sign-in/new-password.tsx'
import { words } from '../words/account/words.ts'
import { words as shellWords } from '../words/shell/words.ts'

interface PasswordProps {
  readonly signIn: SignInActs
  readonly challenge: Challenge
  readonly session: SignInSession
  readonly hasPassword: boolean
  /** A new password ends every session; this is the first new one. */
  readonly onDone: (entered: LoggedIn) => Promise<void>
}

export function Password({ signIn, challenge, session, hasPassword, onDone }: PasswordProps) {
  const [isOpen, setOpen] = useState(false)
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const registration = useNewPassword(signIn, challenge, onDone)
  const send = () => registration.register(() => session.grant(), identifier, password)
  return (
    <section>
      <h2>{words.password}</h2>
      <p>{hasPassword ? words.hasPassword : words.hasNone}</p>
      {registration.pending ? (
        <MailCode registration={registration} />
      ) : isOpen ? (
        <Form onSend={send}>
          <NewPasswordFields
            identifier={identifier}
            onIdentifier={setIdentifier}
            password={password}
            onPassword={setPassword}
            hints={[words.nameHint, words.passwordHint]}
          />
          <div class="actions">
            <Button>{words.savePassword}</Button>
            <button type="button" class="plain" onClick={() => setOpen(false)}>
              {shellWords.cancel}
            </button>
          </div>
        </Form>
      ) : (
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          {hasPassword ? words.changePassword : words.setPassword}
        </button>
      )}
    </section>
  )
}
