import { useEffect, useState } from 'preact/hooks'
import { policyZoneOf } from './policy-zones.ts'

const MOVED = 'console-moved'

/** The path of the address, as it changes. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const read = () => setPath(location.pathname)
    addEventListener('popstate', read)
    addEventListener(MOVED, read)
    return () => {
      removeEventListener('popstate', read)
      removeEventListener(MOVED, read)
    }
  }, [])
  return path
}

/** Shows another page of the console, without loading it anew where its policy is the same. */
export function go(path: string, { replace = false } = {}): void {
  if (path === location.pathname) return
  if (policyZoneOf(path) !== policyZoneOf(location.pathname)) {
    if (replace) location.replace(path)
    else location.assign(path)
    return
  }
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  dispatchEvent(new Event(MOVED))
}
