import type { NonceGuard, OpenNonce } from '@svc/assertion/worker'
import { toHex } from '@svc/protocol/hash'
import { NONCE_LIFETIME_MS } from '@svc/protocol/signature-check'

/**
 * A fixed number, so that keys which strangers make up create no objects; few, since a batch calls each and waits for
 * its disk. Each takes about a thousand calls a second.
 */
const SHARDS = 4
/** Of some 400 bytes: 1.6 GB of the 10 GB of an object, and 200 addresses at their limit for ten minutes to fill all four. */
const MAX_NONCES_IN_SHARD = 4_000_000

export type NonceOutcome = 'spent' | 'replay' | 'unavailable'

/**
 * Nonces that callers choose for themselves, without a credential. Kept by the key that has verified, so that one who
 * cannot show a valid signature of a key spends none of its nonces; only ever reached after the signature was found good.
 */
export class OpenNonces {
  readonly #guards: DurableObjectNamespace<NonceGuard>

  constructor(guards: DurableObjectNamespace<NonceGuard>) {
    this.#guards = guards
  }

  async spend(nonce: OpenNonce, now: number): Promise<NonceOutcome> {
    const [outcome = 'unavailable'] = await this.spendAll([nonce], now)
    return outcome
  }

  /** Each for itself, in order: of two equal ones the first is spent. One call to each shard that is concerned. */
  async spendAll(nonces: readonly OpenNonce[], now: number): Promise<NonceOutcome[]> {
    const outcomes = nonces.map((): NonceOutcome => 'unavailable')
    const byShard = Map.groupBy(nonces.entries(), ([, { signer }]) => shardOf(signer))
    await Promise.all(
      [...byShard].map(async ([shard, placed]) => {
        const told = await this.#spendIn(
          shard,
          placed.map(([, { signer, nonce }]) => ({ signer, nonce })),
          now,
        )
        for (const [i, [place]] of placed.entries()) outcomes[place] = told[i] ?? 'unavailable'
      }),
    )
    return outcomes
  }

  async #spendIn(shard: string, nonces: readonly OpenNonce[], now: number): Promise<NonceOutcome[]> {
    try {
      const guard = this.#guards.getByName(shard)
      const outcomes = await guard.spendOpen(nonces, now + NONCE_LIFETIME_MS, MAX_NONCES_IN_SHARD)
      return outcomes.map((outcome) => (outcome === 'spent' || outcome === 'replay' ? outcome : 'unavailable'))
    } catch {
      return []
    }
  }
}

/** A signer is named by a hash, so its first character spreads keys evenly. No userId of an assertion has such a name. */
function shardOf(signer: string): string {
  return `open:${Number.parseInt(signer.charAt(0), 16) % SHARDS}`
}

/**
 * 128 bits that tell keys apart here and nowhere else. By the runtime's own hash: SHA3-384, which makes a userId, costs
 * as much as a verification where it runs as a script.
 */
export async function signerName(publicKey: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', publicKey)).subarray(0, 16))
}
