/**
 * The rate-limit binding of the local runtime: fixed clock windows, counted in the isolate that calls it. It is loaded
 * into the isolate of every Worker with such a binding, so a call costs no more than a function call.
 *
 * @module
 */

/** Set by `rate-limits.ts` for each binding. */
interface Settings {
  readonly namespace: string
  readonly limit: number
  readonly period: number
}

/** The counts of one window. The next window starts empty, which also bounds the memory. */
interface Window {
  readonly number: number
  readonly counts: Map<string, number>
}

// The runtime's own clock, even while a test replaces `Date`.
const { now } = Date
const windows = new Map<string, Window>()

/** The runtime calls this once per binding and isolate. */
export function rateLimitBinding({ namespace, limit, period }: Settings) {
  return {
    async limit({ key }: { readonly key: unknown }): Promise<{ success: boolean }> {
      if (typeof key !== 'string') throw new TypeError(`invalid key: ${String(key)}`)
      const { counts } = currentWindow(namespace, period)
      const count = counts.get(key) ?? 0
      if (count >= limit) return { success: false }
      counts.set(key, count + 1)
      return { success: true }
    },
  }
}

function currentWindow(namespace: string, period: number): Window {
  const number = Math.floor(now() / (period * 1000))
  const name = `${namespace}/${period}`
  const current = windows.get(name)
  if (current?.number === number) return current
  const next = { number, counts: new Map<string, number>() }
  windows.set(name, next)
  return next
}
