import { SignIn } from '@svc/client/sign-in'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Link } from '../shell/link.tsx'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'
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
      if (!offersAutofill || !(await SignIn.canAutofill()) || offering.signal.aborted) return
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
    if (identifier === '' || password === '') throw new SaidError('Enter your name and your password.')
    const entered = await logIn(signIn, challenge, identifier, password)
    if (!entered) throw new SaidError('Name or password is wrong. Check both, or recover your account.')
    await enter(entered)
  }
  return (
    <section class="card">
      <Heading>Sign in</Heading>
      <Form onSend={send}>
        <Field
          label="User name or e-mail address"
          value={identifier}
          onValue={setIdentifier}
          autocomplete="username webauthn"
        />
        <Field
          label="Password"
          isSecret
          value={password}
          onValue={setPassword}
          autocomplete="current-password"
          maxLength={1024}
        />
        <Button>Sign in</Button>
      </Form>
      <p class="or">or</p>
      <Button look="plain" onPress={async () => enter(await signIn.usePasskey())}>
        Sign in with a passkey
      </Button>
      <p class="more">
        New here? <Link to="/create-account">Create an account</Link>
        <br />
        Lost your password or passkey? <Link to="/recover">Recover your account</Link>
      </p>
    </section>
  )
}
