import { MIRROR_HEADERS } from '#protocol/http/mirror'
import type { Call } from '../transport/call.ts'
import { ConnectionError } from '../transport/connection-error.ts'
import { originOf } from '../transport/origin.ts'
import { ServiceError } from '../transport/service-error.ts'
import { type FromMirror, markMirrored } from './from-mirror.ts'
import type { MirrorOptions } from './mirror-options.ts'
import { isOutage } from './outage.ts'

/** How long a service that was down is not asked again while a mirror answers, so that not every read waits for it. */
const DOWN_MS = 30_000

export interface MirroredAnswer {
  readonly response: Response
  /** Null if the service answered. */
  readonly from: FromMirror | null
}

type Send = (call: Call) => Promise<Response>

/** The mirrors of a client: asked for public reads while a service is down, the one that answered last first. */
export class Mirrors {
  #urls: readonly string[]
  readonly #maxAgeMs: number
  /** By the origin of a service. */
  readonly #downUntil = new Map<string, number>()

  constructor({ urls, maxAgeMs }: MirrorOptions) {
    this.#urls = urls.map((url) => originOf('mirrors.urls', url))
    this.#maxAgeMs = maxAgeMs
  }

  /** From the service, or from the first mirror that has it. Throws what the service did if none has. */
  async read(call: Call, send: Send, now: () => number): Promise<MirroredAnswer> {
    const { origin, pathname, search } = new URL(call.url)
    let outage: ConnectionError | ServiceError | null = null
    if (now() >= (this.#downUntil.get(origin) ?? 0)) {
      try {
        return { response: await send(call), from: null }
      } catch (error) {
        if (!isOutage(error)) throw error
        outage = error
      }
    }
    for (const mirror of this.#urls) {
      const response = await send({ ...call, url: mirror + pathname + search, isForeign: true }).catch(hasNothing)
      if (!response) continue
      if (outage !== null) this.#downUntil.set(origin, now() + DOWN_MS)
      this.#urls = this.#urls.toSorted((a, b) => Number(b === mirror) - Number(a === mirror))
      const isRefusing = response.headers.get(MIRROR_HEADERS.state) === 'refusing'
      return { response, from: { mirror, signedAt: null, ageMs: null, isRefusing } }
    }
    if (outage !== null) throw outage
    return { response: await send(call), from: null }
  }

  marked<T>(answer: T, { from }: MirroredAnswer): T {
    return from ? markMirrored(answer, from, this.#maxAgeMs) : answer
  }
}

/** A mirror that does not answer, or does not have it: another may. */
function hasNothing(error: unknown): null {
  if (error instanceof ConnectionError || error instanceof ServiceError) return null
  throw error
}
