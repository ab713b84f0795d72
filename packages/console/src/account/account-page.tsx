import type { SignedIn } from '@svc/client/sign-in'
import { Exact } from '../content/exact.tsx'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import type { Entered, SignInTools } from '../sign-in/tools.ts'
import { words } from '../words/account/words.ts'
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
    onLeave(words.signedOut)
  }
  const enterAgain = async (again: SignedIn & { readonly passkeyId?: string }, saying: string) => {
    await enter(again)
    task.say(saying)
  }
  const remove = async () => {
    await session.deleteAccount()
    forgetHere(accountId)
    onLeave(words.deleted)
  }
  return (
    <div class="account">
      <div class="title">
        <Heading>{words.title}</Heading>
        <Button look="plain" onPress={signOut}>
          {words.signOut}
        </Button>
      </div>
      <dl>
        <dt>{words.account}</dt>
        <dd>
          <Exact isPlain>{accountId}</Exact>
        </dd>
        <dt>{words.signedInWith}</dt>
        <dd>{words.method[method]}</dd>
      </dl>
      <Unlocked
        core={core}
        entered={entered}
        onUsePasskey={async () => enterAgain(await signIn.usePasskey(), words.passkeyUsed)}
      />
      <Passkeys signIn={signIn} session={session} />
      <Password
        key={session.token}
        signIn={signIn}
        challenge={challenge}
        session={session}
        hasPassword={hasPassword}
        onDone={(again) => enterAgain(again, words.passwordSet)}
      />
      <Sessions key={`sessions ${session.token}`} session={session} />
      <KnownDevices key={`devices ${session.token}`} session={session} />
      <section>
        <h2>{words.deleteAccount}</h2>
        <p>{words.deleteLead}</p>
        <Confirmed action={words.deleteAccount} title={words.deleteTitle} onConfirm={remove}>
          <p>{words.deleteText}</p>
        </Confirmed>
      </section>
    </div>
  )
}
