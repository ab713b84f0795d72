import type { ComponentType } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { Configuration } from './configuration.ts'
import type { PageProps } from './page.ts'
import { usePath } from './router.ts'
import { useLoaded } from './shell/loaded.tsx'
import { Shell } from './shell/shell.tsx'

interface Page {
  readonly title: string
  /** Loaded when its address is visited. */
  readonly load: () => Promise<ComponentType<PageProps>>
}

const signIn = () => import('./sign-in/sign-in-pages.tsx').then(({ SignInPages }) => SignInPages)

/** By address. The pages of sign-in are one, because a session lasts as long as they are open. */
const PAGES: Readonly<Record<string, Page>> = {
  '/': { title: 'Sign in', load: signIn },
  '/sign-in': { title: 'Sign in', load: signIn },
  '/create-account': { title: 'Create an account', load: signIn },
  '/recover': { title: 'Recover your account', load: signIn },
  '/account': { title: 'Your account', load: signIn },
}
const UNKNOWN: Page = {
  title: 'Page not found',
  load: () => import('./unknown-page.tsx').then(({ UnknownPage }) => UnknownPage),
}

export function App({ configuration }: { readonly configuration: Configuration }) {
  const path = usePath()
  const page = useMemo(() => PAGES[path] ?? UNKNOWN, [path])
  const Content = useLoaded(page.load)
  useEffect(() => {
    document.title = page.title
  }, [page])
  return <Shell>{Content ? <Content configuration={configuration} path={path} /> : <p>Loading…</p>}</Shell>
}
