import { hashTextHex } from '@svc/protocol/base/hash'
import { jcs } from '@svc/protocol/base/jcs'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { OfficerService, OfficersRefusal, WantedOfficers } from './officer-service.ts'

/** Fresh for 45 s at the edge, then stale for 600 s more while core is asked again. */
const FRESH_SECONDS = 45
const STALE_SECONDS = 600
/** Upper bound for the age of an answer: a removed officer is shown for at most this long, even if core fails. */
const MAX_AGE_MS = (FRESH_SECONDS + STALE_SECONDS) * 1000
export const OFFICERS_CACHE = `public, s-maxage=${FRESH_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`

/** A background request that has not returned by then was lost with its request. */
const ASKING_MS = 10_000
const READ_AT = 'x-read-at'

/** An answer as sent, with the time at which core was asked. */
export interface KeptOfficers {
  readonly body: string
  readonly etag: string
  readonly readAt: number
}

/** Lets work continue after the answer was sent. */
export type Background = (work: Promise<unknown>) => void

/**
 * Public answers about officers, cached at the edge. No decision depends on them: for authorization, this service asks
 * core every time. Only successful answers are cached. If core reports that there are no officers any more, the entry is
 * dropped at once; if core is unreachable, it stays until it expires.
 */
export class OfficerCache {
  readonly #officers: OfficerService
  readonly #origin: string
  /** When the background request started, by key: one at a time per isolate. */
  readonly #asking = new Map<string, number>()

  constructor(officers: OfficerService, origin: string) {
    this.#officers = officers
    this.#origin = origin
  }

  /** The current roster, or that of a version. */
  async find(
    orgDid: string,
    wanted: Pick<WantedOfficers, 'version'>,
    now: number,
    background: Background,
  ): Promise<Result<KeptOfficers, OfficersRefusal>> {
    const key = `${this.#origin}/1.0/org/${orgDid}/officers?version=${wanted.version ?? 'current'}`
    const kept = await this.#kept(key, now)
    if (!kept) return this.#ask(key, orgDid, wanted, now)
    if (now - kept.readAt >= FRESH_SECONDS * 1000 && !this.#isAsked(key, now)) {
      this.#asking.set(key, now)
      background(
        this.#ask(key, orgDid, wanted, now)
          .catch(() => err({ reason: 'unavailable' }))
          .finally(() => this.#asking.delete(key)),
      )
    }
    return ok(kept)
  }

  #isAsked(key: string, now: number): boolean {
    const since = this.#asking.get(key)
    return since !== undefined && now - since < ASKING_MS
  }

  /** From core, then cached. The age counts from before the request. */
  async #ask(
    key: string,
    orgDid: string,
    wanted: WantedOfficers,
    now: number,
  ): Promise<Result<KeptOfficers, OfficersRefusal>> {
    const found = await this.#officers.find(orgDid, wanted)
    if (found.ok) {
      const made = keptOf(jcs(found.value), now)
      await this.#with((cache) => cache.put(key, responseOf(made)))
      return ok(made)
    }
    if (found.error.reason === 'not_found') await this.#with((cache) => cache.delete(key))
    return found
  }

  async #kept(key: string, now: number): Promise<KeptOfficers | null> {
    return this.#with(async (cache) => {
      const response = await cache.match(key)
      if (!response) return null
      const readAt = Number(response.headers.get(READ_AT) ?? Number.NaN)
      const body = await response.text()
      // A time from a clock that is ahead gives no usable age either.
      return readAt <= now && now - readAt < MAX_AGE_MS ? keptOf(body, readAt) : null
    })
  }

  /** A failing cache counts as empty. */
  async #with<T>(use: (cache: Cache) => Promise<T>): Promise<T | null> {
    try {
      return await use(await caches.open('officers'))
    } catch {
      return null
    }
  }
}

function keptOf(body: string, readAt: number): KeptOfficers {
  return { body, readAt, etag: `"${hashTextHex(body).slice(0, 32)}"` }
}

const responseOf = ({ body, readAt }: KeptOfficers): Response =>
  new Response(body, {
    headers: {
      'content-type': 'application/json',
      'cache-control': `public, s-maxage=${MAX_AGE_MS / 1000}`,
      [READ_AT]: String(readAt),
    },
  })
