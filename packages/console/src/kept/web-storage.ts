/**
 * Small values in this browser. Where it blocks storage, or has no room, they last as long as the page: verifying and
 * signing in need none of them.
 *
 * @module
 */
export interface KeptTexts {
  /** Null if there is none. */
  get(key: string): string | null
  set(key: string, text: string): void
  delete(key: string): void
}

type Area = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** `area` throws where storage is blocked: already the property of the window does. */
export function keptTexts(area: () => Area): KeptTexts {
  const here = new Map<string, string>()
  const tried = <T>(work: (area: Area) => T, otherwise: () => T): T => {
    try {
      return work(area())
    } catch {
      return otherwise()
    }
  }
  return {
    get: (key) =>
      here.get(key) ??
      tried(
        (there) => there.getItem(key),
        () => null,
      ),
    set: (key, text) => {
      here.delete(key)
      tried(
        (there) => there.setItem(key, text),
        () => void here.set(key, text),
      )
    },
    delete: (key) => {
      here.delete(key)
      tried(
        (there) => there.removeItem(key),
        () => {},
      )
    },
  }
}

/** Until the person clears it. */
export const inBrowser = keptTexts(() => localStorage)
/** Until the tab is closed. */
export const inTab = keptTexts(() => sessionStorage)
