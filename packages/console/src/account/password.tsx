import type { LoggedIn, SignIn, SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import type { Challenge } from '../sign-in/challenge.ts'
import { MailCode, NewPasswordFields, useNewPassword } from '../sign-in/new-password.tsx'

interface PasswordProps {
  readonly signIn: SignIn
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
      <h2>Password</h2>
      <p>
        {hasPassword
          ? 'You have a password. A new one signs you out on all other devices.'
          : 'You have no password. With one, you can sign in where your passkey is not at hand.'}
      </p>
      {registration.pending ? (
        <MailCode registration={registration} />
      ) : isOpen ? (
        <Form onSend={send}>
          <NewPasswordFields
            identifier={identifier}
            onIdentifier={setIdentifier}
            password={password}
            onPassword={setPassword}
            hints={[
              'What you will sign in with. Your current one is not stored in readable form, so enter it again or choose another.',
              'At least 8 characters.',
            ]}
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
