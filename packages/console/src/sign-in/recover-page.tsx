import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { Heading } from './heading.tsx'
import { MailCode, NewPasswordFields, useNewPassword } from './new-password.tsx'
import { PROVIDER_LABELS } from './provider.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import type { SignInTools } from './tools.ts'

export function RecoverPage(tools: SignInTools) {
  const { signIn, providers, from } = tools
  return (
    <section class="card">
      <Heading>Recover your account</Heading>
      {from?.hasAccount ? (
        <NewFactor {...tools} />
      ) : from ? (
        <p class="note">
          There is no account for you at {PROVIDER_LABELS[from.provider]} yet.{' '}
          <Link to="/create-account">Create one</Link>
        </p>
      ) : (
        <>
          <p>
            If you still have another passkey or your password, sign in with that. Otherwise, show who you are with the
            account that you used when you created this one.
          </p>
          <ProviderButtons signIn={signIn} providers={providers} />
        </>
      )}
      <p class="more">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </section>
  )
}

/** The provider has said who it is: another way to sign in takes the place of what was lost. */
function NewFactor({ signIn, challenge, from, setFrom, enter }: SignInTools) {
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const registration = useNewPassword(signIn, challenge, enter)
  const grant = async () => from?.grant ?? ''
  const withPasskey = async () => {
    const { session } = await signIn.registerPasskey(await grant(), { name: identifier.trim() || 'My account' })
    setFrom(null)
    if (session) await enter({ session, exportKey: null })
  }
  if (registration.pending) return <MailCode registration={registration} />
  return (
    <>
      <p class="note">
        {from ? PROVIDER_LABELS[from.provider] : 'The provider'} confirmed that you have an account here. If you can
        still sign in, do that. Otherwise, choose a new way to sign in. It ends all sessions of the account, and does
        not unlock your identity: get that from another device afterwards.
      </p>
      <Form onSend={() => registration.register(grant, identifier, password)}>
        <Button onPress={withPasskey}>Add a new passkey</Button>
        <p class="or">or</p>
        <NewPasswordFields
          identifier={identifier}
          onIdentifier={setIdentifier}
          password={password}
          onPassword={setPassword}
          hints={['The one that you had, or another.', 'At least 8 characters.']}
        />
        <Button look="plain">Set a new password</Button>
      </Form>
    </>
  )
}
