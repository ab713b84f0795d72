import type { NonceGuard, OpenNonce } from '@svc/assertion/worker'
import { NONCE_LIFETIME_MS } from '@svc/protocol/signature-check'

/** A fixed number, so that keys which strangers make up create no objects. Each takes about a thousand calls a second. */
const SHARDS = 16
/** Of some 400 bytes: 6.4 GB at the very most in all, and 200 addresses at their limit for ten minutes to fill one. */
const MAX_NONCES_IN_SHARD = 1_000_000
/** 128 bits of a userId tell keys apart; two that share them would share their nonces and nothing else. */
const SIGNER_CHARACTERS = 32

export type NonceOutcome = 'spent' | 'replay' | 'unavailable'

/** A nonce and the key that has verified. */
export interface KeyedNonce {
  readonly userId: string
  readonly nonce: string
}

/**
 * Nonces that callers choose for themselves, without a credential. Kept by key, so that one who cannot show a valid
 * signature of a key spends none of its nonces; only ever reached after the signature was found good.
 */
export class OpenNonces {
  readonly #guards: DurableObjectNamespace<NonceGuard>

  constructor(guards: DurableObjectNamespace<NonceGuard>) {
    this.#guards = guards
  }

  async spend(nonce: KeyedNonce, now: number): Promise<NonceOutcome> {
    const [outcome = 'unavailable'] = await this.spendAll([nonce], now)
    return outcome
  }

  /** Each for itself, in order: of two equal ones the first is spent. One call to each shard that is concerned. */
  async spendAll(nonces: readonly KeyedNonce[], now: number): Promise<NonceOutcome[]> {
    const outcomes = nonces.map((): NonceOutcome => 'unavailable')
    const byShard = Map.groupBy(nonces.keys(), (i) => shardOf(nonces[i]?.userId ?? ''))
    await Promise.all(
      [...byShard].map(async ([shard, places]) => {
        const told = await this.#spendIn(
          shard,
          places.map((i) => entryOf(nonces[i])),
          now,
        )
        places.forEach((place, i) => {
          outcomes[place] = told[i] ?? 'unavailable'
        })
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

function entryOf(nonce: KeyedNonce | undefined): OpenNonce {
  return { signer: nonce?.userId.slice(0, SIGNER_CHARACTERS) ?? '', nonce: nonce?.nonce ?? '' }
}

/** A userId is a hash, so its first character spreads keys evenly. No userId of an assertion has such a name. */
function shardOf(userId: string): string {
  return `open:${Number.parseInt(userId.charAt(0), 16) % SHARDS}`
}
