import './sign-in.css'
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { chunk } from '../failures/chunk.ts'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { useLoaded } from '../shell/loaded.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { words as shellWords } from '../words/shell/words.ts'
import { words } from '../words/sign-in/words.ts'
import { signInActs } from './acts.ts'
import { Challenge } from './challenge.ts'
import { cameBack, type FromProvider } from './provider.ts'
import { SignInPage } from './sign-in-page.tsx'
import type { Entered, SignInTools } from './tools.ts'

/** A page that loads when it is first shown. */
function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return function Lazily(props: Props) {
    const Part = useLoaded(load)
    return Part ? <Part {...props} /> : <p class="note">{shellWords.moment}</p>
  }
}

// The sign-in page needs none of these.
const AccountPage = lazily(() =>
  chunk(() => import('../account/account-page.tsx').then((module) => module.AccountPage)),
)
const CreateAccountPage = lazily(() =>
  chunk(() => import('./create-account-page.tsx').then((module) => module.CreateAccountPage)),
)
const RecoverPage = lazily(() => chunk(() => import('./recover-page.tsx').then((module) => module.RecoverPage)))

export function SignInPages(props: PageProps) {
  return (
    <TaskArea>
      <Pages {...props} />
    </TaskArea>
  )
}

function Pages({ configuration, path }: PageProps) {
  const task = useTask()
  const { services, providers, turnstileSiteKey } = configuration
  const signIn = useMemo(() => signInActs(services.auth), [services.auth])
  const challenge = useMemo(() => new Challenge(turnstileSiteKey), [turnstileSiteKey])
  const [entered, setEntered] = useState<Entered | null>(null)
  const [from, setFrom] = useState<FromProvider | null>(null)
  const hasEntered = useRef(false)
  const [isReturning, setReturning] = useState(location.hash !== '')

  const enter: SignInTools['enter'] = async (signedIn) => {
    const { accountId, method, hasPassword } = await signedIn.session.read()
    hasEntered.current = true
    setFrom(null)
    const { session, exportKey, passkeyId = null } = signedIn
    setEntered({ session, exportKey, passkeyId, accountId, method, hasPassword })
    go('/account')
  }
  const leave = (saying: string) => {
    setEntered(null)
    go('/sign-in')
    task.say(saying)
  }

  useEffect(() => {
    if (!isReturning) return
    void task.run(async () => {
      try {
        const back = await cameBack(signIn)
        if (back === 'declined') return task.say(words.cancelledAtProvider, true)
        if (back === 'failed') return task.say(words.failedAtProvider, true)
        if (back === null) return
        setFrom(back)
        go(back.hasAccount ? '/recover' : '/create-account', { replace: true })
      } finally {
        setReturning(false)
      }
    })
  }, [])
  useEffect(() => {
    if (path === '/account' && !entered) go('/sign-in', { replace: true })
  }, [path, entered])

  const tools: SignInTools = { core: services.core, signIn, challenge, providers, from, setFrom, enter }
  if (entered) return <AccountPage {...tools} entered={entered} onLeave={leave} />
  // The sign-in page would offer passkeys while the ticket from the provider is still being checked.
  if (isReturning) return null
  if (path === '/create-account') return <CreateAccountPage {...tools} />
  if (path === '/recover') return <RecoverPage {...tools} />
  return <SignInPage {...tools} offersAutofill={!hasEntered.current} />
}
