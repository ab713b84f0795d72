import { toHex } from '@svc/protocol/hash'
import type { OpenNoncesObject } from './open-nonces-object.ts'

/**
 * A fixed number, so that keys which strangers make up create no objects; few, since a batch calls each and waits for
 * its disk. Each takes about a thousand calls a second, of a hundred nonces at the most.
 */
const SHARDS = 2
/** Of 23 bytes: 200 MB of the 10 GB of an object. */
const MAX_NONCES_IN_SHARD = 8_000_000
const NAME_BYTES = 16

export type NonceOutcome = 'spent' | 'replay' | 'unavailable'

/**
 * Nonces that callers choose for themselves, without a credential. Kept by the key that has verified, so that one who
 * cannot show a valid signature of a key spends none of its nonces; only ever reached after the signature was found good.
 */
export class OpenNonces {
  readonly #objects: DurableObjectNamespace<OpenNoncesObject>

  constructor(objects: DurableObjectNamespace<OpenNoncesObject>) {
    this.#objects = objects
  }

  async spend(name: string): Promise<NonceOutcome> {
    const [outcome = 'unavailable'] = await this.spendAll([name])
    return outcome
  }

  /** Each for itself, in order: of two equal ones the first is spent. One call to each shard that is concerned. */
  async spendAll(names: readonly string[]): Promise<NonceOutcome[]> {
    const outcomes = names.map((): NonceOutcome => 'unavailable')
    const byShard = Map.groupBy(names.entries(), ([, name]) => shardOf(name))
    await Promise.all(
      [...byShard].map(async ([shard, placed]) => {
        const wereNew = await this.#spendIn(
          shard,
          placed.map(([, name]) => name),
        )
        for (const [i, [place]] of placed.entries()) outcomes[place] = outcomeOf(wereNew?.[i])
      }),
    )
    return outcomes
  }

  async #spendIn(shard: string, names: readonly string[]): Promise<boolean[] | null> {
    try {
      return await this.#objects.getByName(shard).spend(names, MAX_NONCES_IN_SHARD)
    } catch {
      return null
    }
  }
}

function outcomeOf(wasNew: unknown): NonceOutcome {
  if (typeof wasNew !== 'boolean') return 'unavailable'
  return wasNew ? 'spent' : 'replay'
}

/** Names are hashes, so the first character spreads them evenly. */
function shardOf(name: string): string {
  return String(Number.parseInt(name.charAt(0), 16) % SHARDS)
}

/**
 * 128 bits that stand for a nonce with its key, here and nowhere else; a key has one length, so none of it is taken for
 * nonce. By the runtime's own hash: SHA3-384, which makes a userId, costs as much as a verification where it runs as a
 * script.
 */
export async function nonceName(publicKey: Uint8Array, nonce: string): Promise<string> {
  const bytes = new Uint8Array(publicKey.length + nonce.length)
  bytes.set(publicKey)
  encoder.encodeInto(nonce, bytes.subarray(publicKey.length))
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, NAME_BYTES))
}

const encoder = new TextEncoder()
