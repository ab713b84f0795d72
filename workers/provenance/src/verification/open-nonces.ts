import { concatBytes } from '@svc/protocol/base/bytes'
import { NAME_BYTES } from './name-table.ts'
import type { OpenNoncesObject } from './open-nonces-object.ts'

/**
 * One object for a quarter of all keys, which takes about a thousand calls per second: a flood with one key slows the
 * keys of its shard only. A batch calls each shard once that its keys are in; more shards would cost a batch of a hundred
 * keys more than it costs to verify them. Changing the number forgets nonces, so it waits until the last have expired.
 */
export const SHARDS = 4
/** 24 bytes each: 800 MB of an object's 10 GB. It takes 160 addresses at their limit for twenty minutes to fill a shard. */
const MAX_NONCES = 32_000_000

/** A nonce of a key: the 128 bits that it is remembered under, and where. */
export interface NamedNonce {
  readonly name: Uint8Array
  readonly shard: number
}

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

  async spend(nonce: NamedNonce): Promise<NonceOutcome> {
    const [outcome = 'unavailable'] = await this.spendAll([nonce])
    return outcome
  }

  /** Each is decided separately, in order: of two equal ones the first is spent. A shard that fails affects only its own. */
  async spendAll(nonces: readonly NamedNonce[]): Promise<NonceOutcome[]> {
    const outcomes = Array<NonceOutcome>(nonces.length).fill('unavailable')
    const byShard = Map.groupBy(nonces.entries(), ([, { shard }]) => shard)
    await Promise.all(
      [...byShard].map(async ([shard, entries]) => {
        const names = entries.map(([, { name }]) => name)
        const wereNew = await this.#ask(shard, names)
        entries.forEach(([place], i) => {
          outcomes[place] = outcomeOf(wereNew?.[i])
        })
      }),
    )
    return outcomes
  }

  async #ask(shard: number, names: readonly Uint8Array[]): Promise<boolean[] | null> {
    try {
      return await this.#objects.getByName(`keys-${shard}`).spend(concatBytes(names), MAX_NONCES)
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
 * The name is inside this service only. Keys have a fixed length, so the boundary between key and nonce is unambiguous.
 * Uses the runtime's native hash.
 */
export async function nonceOf(publicKey: Uint8Array, nonce: string): Promise<NamedNonce> {
  hashed.set(publicKey)
  const { read, written } = encoder.encodeInto(nonce, hashed.subarray(publicKey.length))
  if (read < nonce.length) throw new RangeError('nonce: too long')
  const shard = shardOf(publicKey)
  const digest = await crypto.subtle.digest('SHA-256', hashed.subarray(0, publicKey.length + written))
  return { name: new Uint8Array(digest, 0, NAME_BYTES), shard }
}

/** FNV-1a of the seed that a key begins with. Keys for one shard can be made for any hash without a secret. */
function shardOf(publicKey: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < 32; i++) hash = Math.imul(hash ^ (publicKey[i] ?? 0), 0x01000193)
  return ((hash ^ (hash >>> 16)) & 0xffff) % SHARDS
}

const encoder = new TextEncoder()
/** For one at a time: WebCrypto reads the buffer when it is called. */
const hashed = new Uint8Array(4096)
