import { concatBytes } from '@svc/protocol/base/bytes'
import { NAME_BYTES } from './name-table.ts'
import type { OpenNoncesObject } from './open-nonces-object.ts'

/**
 * One object for all callers, so that a batch of a hundred is one call and one disk write. It takes about a thousand
 * calls per second; a client that verifies more than that uses batches.
 */
const OBJECT = 'all'
/** 24 bytes each: 800 MB of an object's 10 GB. It takes 160 addresses at their limit for twenty minutes to fill it. */
const MAX_NONCES = 32_000_000

export type NonceOutcome = 'spent' | 'replay' | 'unavailable'

/**
 * Nonces that callers without credentials choose. A nonce is recorded per key and only after its signature has verified,
 * so a caller who cannot sign with a key cannot spend its nonces.
 */
export class OpenNonces {
  readonly #objects: DurableObjectNamespace<OpenNoncesObject>

  constructor(objects: DurableObjectNamespace<OpenNoncesObject>) {
    this.#objects = objects
  }

  async spend(name: Uint8Array): Promise<NonceOutcome> {
    const [outcome = 'unavailable'] = await this.spendAll([name])
    return outcome
  }

  /** Each is decided separately, in order: of two equal ones the first is spent. */
  async spendAll(names: readonly Uint8Array[]): Promise<NonceOutcome[]> {
    if (names.length === 0) return []
    const wereNew = await this.#ask(names)
    return names.map((_, i) => outcomeOf(wereNew?.[i]))
  }

  async #ask(names: readonly Uint8Array[]): Promise<boolean[] | null> {
    try {
      return await this.#objects.getByName(OBJECT).spend(concatBytes(names), MAX_NONCES)
    } catch {
      return null
    }
  }
}

function outcomeOf(wasNew: unknown): NonceOutcome {
  if (typeof wasNew !== 'boolean') return 'unavailable'
  return wasNew ? 'spent' : 'replay'
}

/**
 * 128 bits that stand for a nonce and its key, inside this service only. Keys have a fixed length, so the boundary
 * between key and nonce is unambiguous. Uses the runtime's native hash.
 */
export async function nonceName(publicKey: Uint8Array, nonce: string): Promise<Uint8Array> {
  hashed.set(publicKey)
  const { read, written } = encoder.encodeInto(nonce, hashed.subarray(publicKey.length))
  if (read < nonce.length) throw new RangeError('nonce: too long')
  const digest = await crypto.subtle.digest('SHA-256', hashed.subarray(0, publicKey.length + written))
  return new Uint8Array(digest, 0, NAME_BYTES)
}

const encoder = new TextEncoder()
/** For one at a time: WebCrypto reads the buffer when it is called. */
const hashed = new Uint8Array(4096)
