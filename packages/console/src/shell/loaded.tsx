import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Load<Props> = () => Promise<ComponentType<Props>>

/** Loads a component when it is first shown. Undefined until it is loaded. */
export function useLoaded<Props>(load: Load<Props>): ComponentType<Props> | undefined {
  const [loaded, setLoaded] = useState<{ readonly load: Load<Props>; readonly page: ComponentType<Props> }>()
  useEffect(() => {
    let isWanted = true
    void load().then((page) => {
      if (isWanted) setLoaded({ load, page })
    })
    return () => {
      isWanted = false
    }
  }, [load])
  return loaded?.load === load ? loaded.page : undefined
}
