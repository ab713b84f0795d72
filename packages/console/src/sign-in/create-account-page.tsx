import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { words } from '../words/sign-in/words.ts'
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
    if (answer.grant === null) throw new SaidError(words.needsProvider)
    return answer.grant
  }
  const withPasskey = async () => {
    const name = identifier.trim() || words.myAccount
    const { session } = await signIn.registerPasskey(await grant(), { name })
    if (session) await enter({ session, exportKey: null })
  }
  const registration = useNewPassword(signIn, challenge, enter)
  if (registration.pending)
    return (
      <section class="card">
        <Heading>{words.createAccount}</Heading>
        <MailCode registration={registration} />
      </section>
    )
  return (
    <section class="card">
      <Heading>{words.createAccount}</Heading>
      {from ? <p class="note">{words.cameFrom(PROVIDER_LABELS[from.provider], from.emailVerified)}</p> : null}
      <Form onSend={() => registration.register(grant, identifier, password)}>
        <NewPasswordFields
          label={words.password}
          identifier={identifier}
          onIdentifier={setIdentifier}
          password={password}
          onPassword={setPassword}
          hints={[words.nameHint, words.passwordHint]}
        >
          <Button onPress={withPasskey}>{words.createWithPasskey}</Button>
          <p class="or">{words.or}</p>
        </NewPasswordFields>
        <Button look="plain">{words.createWithPassword}</Button>
      </Form>
      {from || providers.length === 0 ? null : (
        <>
          <p class="or">{words.orRecoverable}</p>
          <ProviderButtons signIn={signIn} providers={providers} />
        </>
      )}
      <p class="more">
        {words.haveAccount} <Link to="/sign-in">{words.signIn}</Link>
      </p>
    </section>
  )
}
