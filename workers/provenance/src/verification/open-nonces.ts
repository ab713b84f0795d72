import { concatBytes } from '@svc/protocol/bytes'
import { NAME_BYTES } from './name-table.ts'
import type { OpenNoncesObject } from './open-nonces-object.ts'

/**
 * One object for all, so that a batch of a hundred is one call and waits for one disk. It takes about a thousand calls
 * a second; whoever verifies more than that sends batches.
 */
const OBJECT = 'all'
/** Of 24 bytes: 800 MB of the 10 GB of an object. 160 addresses at their limit for twenty minutes fill it. */
const MAX_NONCES = 32_000_000

export type NonceOutcome = 'spent' | 'replay' | 'unavailable'

/**
 * Nonces that callers choose for themselves, without a credential. Kept by the key that has verified, so that one who
 * cannot show a valid signature of a key spends none of its nonces; only ever reached after the signature was found
 * good.
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

  /** Each for itself, in order: of two equal ones the first is spent. */
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
 * 128 bits that stand for a nonce with its key, here and nowhere else; a key has one length, so none of it is taken for
 * nonce. By the runtime's own hash: SHA3-384, which makes a userId, costs as much as a verification where it runs as a
 * script.
 */
export async function nonceName(publicKey: Uint8Array, nonce: string): Promise<Uint8Array> {
  hashed.set(publicKey)
  const { read, written } = encoder.encodeInto(nonce, hashed.subarray(publicKey.length))
  if (read < nonce.length) throw new RangeError('nonce: too long')
  const digest = await crypto.subtle.digest('SHA-256', hashed.subarray(0, publicKey.length + written))
  return new Uint8Array(digest, 0, NAME_BYTES)
}

const encoder = new TextEncoder()
/** For one at a time: WebCrypto reads it when it is called. */
const hashed = new Uint8Array(4096)
