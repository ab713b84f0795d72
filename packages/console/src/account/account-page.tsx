import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { logIn } from '../sign-in/password-login.ts'
import type { Entered, SignInTools } from '../sign-in/tools.ts'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'

interface AccountPageProps extends SignInTools {
  readonly entered: Entered
  readonly onLeave: (saying: string) => void
}

export function AccountPage({ signIn, challenge, enter, entered, onLeave }: AccountPageProps) {
  const task = useTask()
  const { session, accountId, method, hasPassword } = entered
  const signOut = async () => {
    await session.signOut()
    onLeave('You are signed out.')
  }
  const enterAgain = async (identifier: string, password: string) => {
    const again = await logIn(signIn, challenge, identifier, password)
    if (!again) throw new SaidError('That name cannot be used. Choose another one.')
    await enter(again)
    task.say('Your new password is set.')
  }
  const remove = async () => {
    await session.deleteAccount()
    onLeave('Your account was deleted.')
  }
  return (
    <div class="account">
      <div class="title">
        <Heading>Your account</Heading>
        <Button look="plain" onPress={signOut}>
          Sign out
        </Button>
      </div>
      <dl>
        <dt>Account</dt>
        <dd>{accountId}</dd>
        <dt>Signed in with</dt>
        <dd>{method === 'password' ? 'a password' : 'a passkey'}</dd>
      </dl>
      <Passkeys signIn={signIn} session={session} />
      <Password key={session.token} signIn={signIn} session={session} hasPassword={hasPassword} onDone={enterAgain} />
      <section>
        <h2>Delete account</h2>
        <p>Removes your passkeys, your password and all sessions. Identities and their keys are not affected.</p>
        <Confirmed action="Delete account" title="Delete your account?" onConfirm={remove}>
          <p>Nobody will be able to sign in to it again. You cannot undo this.</p>
        </Confirmed>
      </section>
    </div>
  )
}
