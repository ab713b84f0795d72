import { useEffect, useState } from 'preact/hooks'

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

/** Shows another page of the console without loading it anew. */
export function go(path: string, { replace = false } = {}): void {
  if (path === location.pathname) return
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  dispatchEvent(new Event(MOVED))
}
