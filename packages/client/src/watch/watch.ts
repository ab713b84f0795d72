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

/** The root of an identity, with its device counts and changes. */
export interface WatchedRoot extends RootAnswer {
  readonly devices: WatchedDevices
  /** Changes of standing in the last 24 hours, oldest first. */
  readonly changes: StandingChange[]
}

/** Watches an identity for device changes and pending rotations, for its owner and the holders of a watch token. */
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
   * Returns the current root of an identity, its device counts, and the changes of standing. Call it at least once every
   * 24 hours to see every change. With a token, it needs no key; without one, it shows this client's own identity.
   * `onPending` is called once for each change. Verifies the root key like `chain.root`; the devices are claimed by core.
   *
   * Throws a `VerificationError` (`left_out`) if core shows no devices: the token belongs to another identity or has
   * ended, or the device of this client is no longer active.
   */
  async look(did: string, token?: WatchToken): Promise<WatchedRoot> {
    const url = `${this.#core}/api/chain/root/${did}`
    const credential = token ? { headers: { [WATCH_HEADER]: token.reveal() } } : { audience: 'chain' as const }
    const answer = await this.#transport.data({ method: 'GET', url, ...credential }, rootAnswerSchema)
    const root = checkRoot(did, answer, answer.epoch === 0 ? [] : await this.#keys.of(did))
    await this.#keys.refuseOlder(did, root)
    const { devices, changes } = root
    if (!devices || !changes)
      throw unverified('keys', 'left_out', 'Core shows no devices: the token is for another identity or has ended')
    if (!this.#owner || this.#owner.did === did) {
      this.#transport.pending.seeNewest(root.rotation)
      this.#transport.pending.seeChanges(changes)
    }
    return { ...root, devices, changes }
  }

  /**
   * Registers a watch token for this client's identity and returns it. Core gets only its hash. Default: a new token, or
   * for a device the one that it derives from its keys. A device `fromSigner` derives none: pass `WatchToken.create()`
   * and store it. Idempotent. Throws 409 `watch_limit` beyond 16 tokens of the root key or 2 of a device.
   */
  async make(token?: WatchToken): Promise<WatchToken> {
    const made = token ?? (await this.#ownToken())
    const body = { tokenHash: made.tokenHash }
    const call = { method: 'POST', url: `${this.#core}/api/chain/watch`, audience: 'chain', body } as const
    this.#checkRecord(made.tokenHash, await this.#transport.data(call, watchTokenRecordSchema))
    return made
  }

  /** Lists the tokens of this client's identity by hash, oldest first, including withdrawn ones that still work. */
  async tokens(): Promise<WatchTokenRecord[]> {
    const call = { method: 'GET', url: `${this.#core}/api/chain/watch`, audience: 'chain' } as const
    return (await this.#transport.data(call, watchTokensSchema)).tokens
  }

  /**
   * Withdraws a token by its hash, as the root key or as the device that made it. The token works for 30 more days, until
   * `worksUntil` (epoch ms). Idempotent. Throws 404 `not_found` for a token that has ended.
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
    throw new ConfigurationError(
      'token',
      'A signer holds the keys of this device: pass `WatchToken.create()`, and store it',
    )
  }

  #checkRecord(tokenHash: string, record: WatchTokenRecord): WatchTokenRecord {
    if (record.tokenHash === tokenHash) return record
    throw unverified('keys', 'different_answer', 'Core answered for a different token', { evidence: record })
  }
}
