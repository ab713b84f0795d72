import { hashTextHex } from '@svc/protocol/hash'
import { jcs } from '@svc/protocol/jcs'
import { err, ok, type Result } from '@svc/protocol/result'
import type { OfficerService, OfficersRefusal, WantedOfficers } from './officer-service.ts'

/** Document 2 section 4.3: fresh for 45 s at the edge, and stale for 600 s more while it is asked anew. */
const FRESH_SECONDS = 45
const STALE_SECONDS = 600
/** No answer is older: whoever was removed as an officer is shown for so long at most, whatever core does meanwhile. */
const MAX_AGE_MS = (FRESH_SECONDS + STALE_SECONDS) * 1000
export const OFFICERS_CACHE = `public, s-maxage=${FRESH_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`

/** A question in the background that has not come back by then was lost with its request. */
const ASKING_MS = 10_000
const READ_AT = 'x-read-at'

/** An answer as it is sent, with the time at which core was asked for it. */
export interface KeptOfficers {
  readonly body: string
  readonly etag: string
  readonly readAt: number
}

/** Lets work go on after the answer was sent. */
export type Background = (work: Promise<unknown>) => void

/**
 * Public answers about officers, kept at the edge where they were asked for. Nothing is decided by them: who may read or
 * change what, this service asks core each time. Only good answers are kept; that there are no officers any more ends
 * what was kept at once, and a core that is out of reach leaves it to its age.
 */
export class OfficerCache {
  readonly #officers: OfficerService
  readonly #origin: string
  /** When the background began to ask, by key: one question at a time for each isolate. */
  readonly #asking = new Map<string, number>()

  constructor(officers: OfficerService, origin: string) {
    this.#officers = officers
    this.#origin = origin
  }

  /** The roster of now, or of a version. */
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

  /** From core, and kept. The age counts from before the question. */
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
      // Also what comes from a clock that is ahead is nothing that an age can be counted for.
      return readAt <= now && now - readAt < MAX_AGE_MS ? keptOf(body, readAt) : null
    })
  }

  /** A cache that fails is none. */
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
