import { SignIn } from '@svc/client/sign-in'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { AccountPage } from '../account/account-page.tsx'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Challenge } from './challenge.ts'
import { CreateAccountPage } from './create-account-page.tsx'
import { cameBack, type FromProvider } from './provider.ts'
import { RecoverPage } from './recover-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import type { Entered, SignInTools } from './tools.ts'

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
  const signIn = useMemo(() => new SignIn({ auth: services.auth }), [services.auth])
  const challenge = useMemo(() => new Challenge(turnstileSiteKey), [turnstileSiteKey])
  const [entered, setEntered] = useState<Entered | null>(null)
  const [from, setFrom] = useState<FromProvider | null>(null)
  const hasEntered = useRef(false)

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
    if (location.hash === '') return
    void task.run(async () => {
      const back = await cameBack(signIn)
      if (back === null) return
      if (back === 'declined') return task.say('You cancelled at the provider. Choose another way, or try again.', true)
      setFrom(back)
      go(back.hasAccount ? '/recover' : '/create-account', { replace: true })
    })
  }, [])
  useEffect(() => {
    if (path === '/' || (path === '/account' && !entered)) go('/sign-in', { replace: true })
  }, [path, entered])

  const tools: SignInTools = { core: services.core, signIn, challenge, providers, from, setFrom, enter }
  if (entered) return <AccountPage {...tools} entered={entered} onLeave={leave} />
  if (path === '/create-account') return <CreateAccountPage {...tools} />
  if (path === '/recover') return <RecoverPage {...tools} />
  return <SignInPage {...tools} offersAutofill={!hasEntered.current} />
}
