import { type RootAnswer, rootAnswerSchema } from '#protocol/chain/api'
import {
  type StandingChange,
  WATCH_HEADER,
  type WatchedDevices,
  type WatchTokenRecord,
  watchTokenRecordSchema,
  watchTokensSchema,
} from '#protocol/chain/watch'
import { checkRoot } from '../chain/answers.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { WatchToken } from './watch-token.ts'

/** The root of an identity with what decides a theft. */
export interface WatchedRoot extends RootAnswer {
  readonly devices: WatchedDevices
  /** What gave or took standing in the last 24 hours, the oldest first. */
  readonly changes: StandingChange[]
}

/** What decides a theft of an identity, for its owner and for those to whom the owner gave a token. */
export class Watch {
  // As results: see `safely`.
  readonly safeLook = safeTwin(this, 'look')

  readonly #transport: Transport
  readonly #core: string
  readonly #owner: Identity | Device | undefined
  readonly #keys: KeyHistory

  constructor(parts: {
    readonly transport: Transport
    readonly core: string
    readonly owner: Identity | Device | undefined
    readonly keys: KeyHistory
  }) {
    this.#transport = parts.transport
    this.#core = parts.core
    this.#owner = parts.owner
    this.#keys = parts.keys
  }

  /**
   * The current root of an identity, how many devices it has, and what changed who counts: once in 24 hours shows
   * everything. With a token it needs no key; without one, this client's identity looks at itself. `onPending` is told of
   * each change once. The root key is verified as by `chain.root`; the devices are core's word.
   *
   * Throws a `VerificationError` (`left_out`) if core shows no devices: the token is of another identity or has ended, or
   * the device of this client is not active any more.
   */
  async look(did: string, token?: WatchToken): Promise<WatchedRoot> {
    const url = `${this.#core}/api/chain/root/${did}`
    const credential = token ? { headers: { [WATCH_HEADER]: token.reveal() } } : { audience: 'chain' as const }
    const answer = await this.#transport.data({ method: 'GET', url, ...credential }, rootAnswerSchema)
    const root = checkRoot(did, answer, answer.epoch === 0 ? [] : await this.#keys.of(did))
    await this.#keys.refuseOlder(did, root)
    const { devices, changes } = root
    if (!devices || !changes)
      throw unverified('keys', 'left_out', 'Core shows no devices: the token is of another identity, or has ended')
    if (!this.#owner || this.#owner.did === did) {
      this.#transport.pending.seeNewest(root.rotation)
      this.#transport.pending.seeChanges(changes)
    }
    return { ...root, devices, changes }
  }

  /**
   * Makes a token for this client's identity: core gets its hash. By default a new one; as a device, the one that the
   * device derives from its keys. A device `fromSigner` has none: pass `WatchToken.create()` and keep it. Idempotent.
   * Throws 409 `watch_limit` beyond 16 of the root key and 2 of each device.
   */
  async make(token?: WatchToken): Promise<WatchToken> {
    const made = token ?? (await this.#ownToken())
    const body = { tokenHash: made.tokenHash }
    const call = { method: 'POST', url: `${this.#core}/api/chain/watch`, audience: 'chain', body } as const
    this.#checkRecord(made.tokenHash, await this.#transport.data(call, watchTokenRecordSchema))
    return made
  }

  /** The tokens of this client's identity by their hashes, the oldest first; withdrawn ones while they work. */
  async tokens(): Promise<WatchTokenRecord[]> {
    const call = { method: 'GET', url: `${this.#core}/api/chain/watch`, audience: 'chain' } as const
    return (await this.#transport.data(call, watchTokensSchema)).tokens
  }

  /**
   * Withdraws a token by its hash: as the root key, or as the device that made it. It works for 30 more days, until
   * `worksUntil` (epoch ms). Idempotent; throws 404 `not_found` for one that has ended.
   */
  async withdraw(tokenHash: string): Promise<WatchTokenRecord> {
    const url = `${this.#core}/api/chain/watch/${encodeURIComponent(tokenHash)}`
    const answer = await this.#transport.data({ method: 'DELETE', url, audience: 'chain' }, watchTokenRecordSchema)
    return this.#checkRecord(tokenHash, answer)
  }

  async #ownToken(): Promise<WatchToken> {
    if (!this.#owner || !('deviceId' in this.#owner)) return WatchToken.create()
    const token = await this.#owner.watchToken()
    if (token) return token
    throw new ConfigurationError('token', 'A signer keeps the keys of this device: pass a token, and keep it')
  }

  #checkRecord(tokenHash: string, record: WatchTokenRecord): WatchTokenRecord {
    if (record.tokenHash === tokenHash) return record
    throw unverified('keys', 'different_answer', 'Core answered for a different token', { evidence: record })
  }
}
