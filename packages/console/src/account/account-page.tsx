import type { SignedIn } from '@svc/client/sign-in'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import type { Entered, SignInTools } from '../sign-in/tools.ts'
import { KnownDevices } from './known-devices.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { forgetHere } from './secret-store.ts'
import { Sessions } from './sessions.tsx'
import { Unlocked } from './unlocked.tsx'

export interface AccountPageProps extends SignInTools {
  readonly entered: Entered
  readonly onLeave: (saying: string) => void
}

export function AccountPage({ core, signIn, challenge, enter, entered, onLeave }: AccountPageProps) {
  const task = useTask()
  const { session, accountId, method, hasPassword } = entered
  const signOut = async () => {
    await session.signOut()
    onLeave('You are signed out.')
  }
  const enterAgain = async (again: SignedIn & { readonly passkeyId?: string }, saying: string) => {
    await enter(again)
    task.say(saying)
  }
  const remove = async () => {
    await session.deleteAccount()
    forgetHere(accountId)
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
      <Unlocked
        core={core}
        entered={entered}
        onUsePasskey={async () => enterAgain(await signIn.usePasskey(), 'You are signed in with your passkey.')}
      />
      <Passkeys signIn={signIn} session={session} />
      <Password
        key={session.token}
        signIn={signIn}
        challenge={challenge}
        session={session}
        hasPassword={hasPassword}
        onDone={(again) => enterAgain(again, 'Your new password is set.')}
      />
      <Sessions key={`sessions ${session.token}`} session={session} />
      <KnownDevices key={`devices ${session.token}`} session={session} />
      <section>
        <h2>Delete account</h2>
        <p>
          Removes your passkeys, your password and all sessions. An identity that only this account unlocks is lost with
          it.
        </p>
        <Confirmed action="Delete account" title="Delete your account?" onConfirm={remove}>
          <p>
            Nobody can sign in to it again. The identity that it unlocks can no longer be opened, in this browser or on
            another device. You cannot undo this.
          </p>
        </Confirmed>
      </section>
    </div>
  )
}
