import type { SignIn, SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { registerPassword } from '../sign-in/new-password.ts'

interface PasswordProps {
  readonly signIn: SignIn
  readonly session: SignInSession
  readonly hasPassword: boolean
  /** A new password ends every session: the page signs in with it again. */
  readonly onDone: (identifier: string, password: string) => Promise<void>
}

export function Password({ signIn, session, hasPassword, onDone }: PasswordProps) {
  const [isOpen, setOpen] = useState(false)
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const send = async () => {
    await registerPassword(signIn, () => session.grant(), identifier, password)
    await onDone(identifier, password)
  }
  return (
    <section>
      <h2>Password</h2>
      <p>
        {hasPassword
          ? 'You have a password. A new one signs you out on all other devices.'
          : 'You have no password. With one, you can sign in where your passkey is not at hand.'}
      </p>
      {isOpen ? (
        <Form onSend={send}>
          <Field
            label="User name or e-mail address"
            value={identifier}
            onValue={setIdentifier}
            autocomplete="username"
            hint="What you will sign in with. Your current one is not stored in readable form, so enter it again or choose another."
          />
          <Field
            label="New password"
            isSecret
            value={password}
            onValue={setPassword}
            autocomplete="new-password"
            maxLength={1024}
            hint="At least 8 characters."
          />
          <div class="actions">
            <Button>Save password</Button>
            <button type="button" class="plain" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </Form>
      ) : (
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          {hasPassword ? 'Change password' : 'Set a password'}
        </button>
      )}
    </section>
  )
}
