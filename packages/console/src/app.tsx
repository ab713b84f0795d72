import type { ComponentType } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { Configuration } from './configuration.ts'
import type { PageProps } from './page.ts'
import { pageAt } from './pages.ts'
import { usePath } from './router.ts'
import { useLoaded } from './shell/loaded.tsx'
import { Shell } from './shell/shell.tsx'
import { words } from './words/shell/words.ts'

interface AppProps {
  readonly configuration: Configuration
  /** What shows the page that is visited, if it has arrived. */
  readonly first: ComponentType<PageProps> | undefined
}

export function App({ configuration, first }: AppProps) {
  const path = usePath()
  const page = useMemo(() => pageAt(path), [path])
  const Content: ComponentType<PageProps> | undefined = useLoaded(page.load, first)
  useEffect(() => {
    document.title = page.title
  }, [page])
  return (
    <Shell path={path}>
      {Content ? <Content configuration={configuration} path={path} /> : <p>{words.loading}</p>}
    </Shell>
  )
}
