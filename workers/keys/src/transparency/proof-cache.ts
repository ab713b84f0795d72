import { ok, type Result } from '@svc/protocol/base/result'

/** An edge cache of 5 s, and nothing stale after it. */
const FRESH_MS = 5_000
const MADE_AT = 'x-made-at'

/**
 * Proofs in the edge cache of the place that asked for them, for five seconds: a popular proof costs the log's object one
 * call. Only successful answers are cached, and an expired one is never used.
 */
export class ProofCache {
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  async find<T, E>(path: string, now: number, make: () => Promise<Result<T, E>>): Promise<Result<T, E>> {
    const key = `${this.#origin}/api/transparency/${path}`
    const kept = await this.#with(async (cache) => fresh<T>(await cache.match(key), now))
    if (kept) return ok(kept.value)
    const made = await make()
    if (made.ok) await this.#with((cache) => cache.put(key, responseOf(made.value, now)))
    return made
  }

  /** A failing cache counts as a miss. */
  async #with<T>(use: (cache: Cache) => Promise<T>): Promise<T | null> {
    try {
      return await use(await caches.open('proofs'))
    } catch {
      return null
    }
  }
}

/** An entry dated in the future has no usable age. */
async function fresh<T>(response: Response | undefined, now: number): Promise<{ readonly value: T } | null> {
  if (!response) return null
  const madeAt = Number(response.headers.get(MADE_AT) ?? Number.NaN)
  const value = await response.json<T>()
  return madeAt <= now && now - madeAt < FRESH_MS ? { value } : null
}

function responseOf(value: unknown, now: number): Response {
  const headers = { 'cache-control': `public, s-maxage=${FRESH_MS / 1000}`, [MADE_AT]: String(now) }
  return Response.json(value, { headers })
}
