import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { SaidError } from '../shell/sentences.ts'
import { Heading } from './heading.tsx'
import { MailCode, NewPasswordFields, useNewPassword } from './new-password.tsx'
import { PROVIDER_LABELS } from './provider.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import type { SignInTools } from './tools.ts'

export function CreateAccountPage({ signIn, challenge, providers, from, setFrom, enter }: SignInTools) {
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')

  /** From the provider if there is one, and otherwise from the bot challenge. Each is good for one account. */
  const grant = async () => {
    if (from?.grant) {
      setFrom(null)
      return from.grant
    }
    const answer = await signIn.challenge(await challenge.token('register'), 'register')
    if (answer.grant === null) throw new SaidError('New accounts need an account at one of the providers below.')
    return answer.grant
  }
  const withPasskey = async () => {
    const name = identifier.trim() || 'My account'
    const { session } = await signIn.registerPasskey(await grant(), { name })
    if (session) await enter({ session, exportKey: null })
  }
  const registration = useNewPassword(signIn, challenge, enter)
  if (registration.pending)
    return (
      <section class="card">
        <Heading>Create an account</Heading>
        <MailCode registration={registration} />
      </section>
    )
  return (
    <section class="card">
      <Heading>Create an account</Heading>
      {from ? (
        <p class="note">
          You came from {PROVIDER_LABELS[from.provider]}
          {from.emailVerified ? ', which has verified your e-mail address' : ''}. Now choose how you will sign in.
        </p>
      ) : null}
      <Form onSend={() => registration.register(grant, identifier, password)}>
        <NewPasswordFields
          label="Password"
          identifier={identifier}
          onIdentifier={setIdentifier}
          password={password}
          onPassword={setPassword}
          hints={[
            'For a passkey, this is the name that your device shows. It can stay empty.',
            'At least 8 characters. It stays in this browser: the service stores only what checks it.',
          ]}
        >
          <Button onPress={withPasskey}>Create with a passkey</Button>
          <p class="or">or</p>
        </NewPasswordFields>
        <Button look="plain">Create with a password</Button>
      </Form>
      {from || providers.length === 0 ? null : (
        <>
          <p class="or">or, to be able to recover it</p>
          <ProviderButtons signIn={signIn} providers={providers} />
        </>
      )}
      <p class="more">
        Have an account? <Link to="/sign-in">Sign in</Link>
      </p>
    </section>
  )
}
