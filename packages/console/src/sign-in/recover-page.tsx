import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { words } from '../words/sign-in/words.ts'
import { Heading } from './heading.tsx'
import { MailCode, NewPasswordFields, useNewPassword } from './new-password.tsx'
import { PROVIDER_LABELS } from './provider.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import type { SignInTools } from './tools.ts'

export function RecoverPage(tools: SignInTools) {
  const { signIn, providers, from } = tools
  return (
    <section class="card">
      <Heading>{words.recover}</Heading>
      {from?.hasAccount ? (
        <NewFactor {...tools} />
      ) : from ? (
        <p class="note">
          {words.notAtProvider(PROVIDER_LABELS[from.provider])} <Link to="/create-account">{words.createOne}</Link>
        </p>
      ) : (
        <>
          <p>{words.recoverLead}</p>
          <ProviderButtons signIn={signIn} providers={providers} />
        </>
      )}
      <p class="more">
        <Link to="/sign-in">{words.backToSignIn}</Link>
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
    const { session } = await signIn.registerPasskey(await grant(), { name: identifier.trim() || words.myAccount })
    setFrom(null)
    if (session) await enter({ session, exportKey: null })
  }
  if (registration.pending) return <MailCode registration={registration} />
  return (
    <>
      <p class="note">{words.newFactor(from ? PROVIDER_LABELS[from.provider] : words.theProvider)}</p>
      <Form onSend={() => registration.register(grant, identifier, password)}>
        <Button onPress={withPasskey}>{words.addPasskey}</Button>
        <p class="or">{words.or}</p>
        <NewPasswordFields
          identifier={identifier}
          onIdentifier={setIdentifier}
          password={password}
          onPassword={setPassword}
          hints={[words.sameNameHint, words.shortHint]}
        />
        <Button look="plain">{words.setPassword}</Button>
      </Form>
    </>
  )
}
