import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { chunk } from '../failures/chunk.ts'
import { Reload } from '../failures/reload.tsx'

/** A part of the page that is loaded when it is first shown. */
export function Later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Part(props: P) {
    const [Loaded, setLoaded] = useState<ComponentType<P> | null>(null)
    const [isGone, setGone] = useState(false)
    useEffect(() => {
      chunk(load).then(
        (component) => setLoaded(() => component),
        () => setGone(true),
      )
    }, [])
    if (isGone) return <Reload />
    return Loaded && <Loaded {...props} />
  }
}
