import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Reload } from '../failures/reload.tsx'
import { words } from '../words/shell/words.ts'

type Load<Props> = () => Promise<ComponentType<Props>>

/** Loads a component when it is first shown. Undefined until it is loaded. `ahead` is the first one, if it was loaded before. */
export function useLoaded<Props>(load: Load<Props>, ahead?: ComponentType<Props>): ComponentType<Props> | undefined {
  const [loaded, setLoaded] = useState(ahead && { load, page: ahead })
  useEffect(() => {
    if (loaded?.load === load) return
    let isWanted = true
    const show = (page: ComponentType<Props>) => {
      if (isWanted) setLoaded({ load, page })
    }
    load().then(show, () => show(NotLoaded))
    return () => {
      isWanted = false
    }
  }, [load])
  return loaded?.load === load ? loaded.page : undefined
}

interface LoadedProps<Props> {
  /** The same function at every call. */
  readonly load: Load<Props>
  readonly props: Props
}

/** A component that is loaded when it is first shown. */
export function Loaded<Props extends object>({ load, props }: LoadedProps<Props>) {
  const Content = useLoaded(load)
  return Content ? <Content {...props} /> : <p>{words.loading}</p>
}

/** After a new version of the console is deployed, the files of the old one are gone. */
function NotLoaded() {
  return (
    <section class="card">
      <h1>{words.notLoadedTitle}</h1>
      <p>{words.notLoaded}</p>
      <Reload />
    </section>
  )
}
