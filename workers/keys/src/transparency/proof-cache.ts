import { ok, type Result } from '@svc/protocol/result'

/** Document 2 section 4.4: an edge cache of 5 s, and nothing stale after it. */
const FRESH_MS = 5_000
const MADE_AT = 'x-made-at'

/**
 * Proofs as they were made, kept for five seconds at the edge where they were asked for: a proof that many ask for costs
 * the log's object one question. Only good answers are kept; one that is old is none, whatever the cache still holds.
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

  /** A cache that fails is none. */
  async #with<T>(use: (cache: Cache) => Promise<T>): Promise<T | null> {
    try {
      return await use(await caches.open('proofs'))
    } catch {
      return null
    }
  }
}

/** What comes from a clock that is ahead is nothing that an age can be counted for. */
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
