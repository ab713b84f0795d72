import { useEffect, useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/sign-in/words.ts'
import { Heading } from './heading.tsx'
import { logIn } from './password-login.ts'
import type { SignInTools } from './tools.ts'

interface SignInPageProps extends SignInTools {
  /** Passkeys beside the names that the browser fills in. Not right after somebody signed out. */
  readonly offersAutofill: boolean
}

export function SignInPage({ signIn, challenge, enter, offersAutofill }: SignInPageProps) {
  const task = useTask()
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')

  useEffect(() => {
    const offering = new AbortController()
    const offer = async () => {
      // If the SDK cannot be loaded, nothing is offered; the buttons say that they failed.
      const canOffer = offersAutofill && (await signIn.canAutofill().catch(() => false))
      if (!canOffer || offering.signal.aborted) return
      try {
        const signedIn = await signIn.usePasskey({ autofill: true, signal: offering.signal })
        await task.run(() => enter(signedIn))
      } catch (error) {
        // A prompt takes the place of the offer, and so does another page.
        if (error instanceof Error && error.name === 'AbortError') return
        await task.run(() => Promise.reject(error))
      }
    }
    void offer()
    return () => offering.abort()
  }, [])

  const send = async () => {
    if (identifier === '' || password === '') throw new SaidError(words.enterBoth)
    const entered = await logIn(signIn, challenge, identifier, password)
    if (!entered) throw new SaidError(words.wrongLogin)
    await enter(entered)
  }
  return (
    <section class="card">
      <Heading>{words.signIn}</Heading>
      <Form onSend={send}>
        <Field label={words.name} value={identifier} onValue={setIdentifier} autocomplete="username webauthn" />
        <Field
          label={words.password}
          isSecret
          value={password}
          onValue={setPassword}
          autocomplete="current-password"
          maxLength={1024}
        />
        <Button>{words.signIn}</Button>
      </Form>
      <p class="or">{words.or}</p>
      <Button look="plain" onPress={async () => enter(await signIn.usePasskey())}>
        {words.withPasskey}
      </Button>
      <p class="more">
        {words.newHere} <Link to="/create-account">{words.createAccount}</Link>
        <br />
        {words.lost} <Link to="/recover">{words.recover}</Link>
      </p>
    </section>
  )
}
