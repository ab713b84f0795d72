import type { Sql } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { PrekeyStock, ReservePrekey } from '@svc/protocol/keys/directory'
import { PROFILES, type SignedPrekeyBatch, SUITES } from '@svc/protocol/keys/packages'
import { DEFAULT_SETTINGS } from '@svc/protocol/keys/reserving'
import { RequesterStore } from '../prekeys/requester-store.ts'
import type { Standing } from '../prekeys/rules.ts'
import { type Drawn, type PrekeyRow, PrekeyStore, type Suite } from '../prekeys/store.ts'
import {
  type DeviceState,
  drawnKind,
  fitsPool,
  isBatchCurrent,
  keptOf,
  leftFor,
  oldestKept,
  setAsideOf,
  stockOf,
} from './rules.ts'

export type PrekeyRefusal = { readonly reason: 'prekey_reused' | 'prekey_limit' | 'statement_expired' }

/** A batch whose signature and root were verified, with the audit path of each key. */
export interface CheckedBatch {
  readonly batch: SignedPrekeyBatch
  readonly keys: readonly PrekeyRow[]
}

/** The prekeys of an account by device and suite, and how much of each pool is kept for whom. */
export class PrekeyPools {
  readonly requesters: RequesterStore
  readonly #prekeys: PrekeyStore

  constructor(sql: Sql) {
    this.requesters = new RequesterStore(sql)
    this.#prekeys = new PrekeyStore(sql)
  }

  /** Repeating a batch adds nothing. A batch with a key that is already known is refused. */
  add(
    deviceId: string,
    device: DeviceState,
    batches: readonly CheckedBatch[],
    now: number,
  ): Result<void, PrekeyRefusal> {
    for (const { batch, keys } of batches) {
      const { kind, profile, suiteId, root, issuedAt } = batch.statement
      if (this.#prekeys.hasBatch(deviceId, root)) continue
      if (!isBatchCurrent(issuedAt, device, now)) return err({ reason: 'statement_expired' })
      if (keys.some(({ prekeyId }) => this.#prekeys.has(prekeyId))) return err({ reason: 'prekey_reused' })
      const suite = { deviceId, profile, suiteId }
      if (kind === 'last-resort') this.#prekeys.supersede(deviceId, kind, suite)
      else if (!fitsPool(this.#prekeys.left(suite, kind), keys.length)) return err({ reason: 'prekey_limit' })
      this.#prekeys.add(deviceId, batch, keys, now)
      if (kind === 'one-time') this.#prekeys.keep(suite, setAsideOf(this.#prekeys.left(suite, kind)))
    }
    return ok(undefined)
  }

  /** Of the suites that the device has a package for. */
  stock(deviceId: string, published: readonly Omit<Suite, 'deviceId'>[]): PrekeyStock[] {
    return PROFILES.flatMap((profile) => SUITES.map((suiteId) => ({ profile, suiteId })))
      .filter((suite) => published.some((row) => row.profile === suite.profile && row.suiteId === suite.suiteId))
      .map((suite) => {
        const of = { deviceId, ...suite }
        const lastResort = this.#prekeys.left(of, 'last-resort') > 0
        return stockOf(suite, { ...this.#oneTime(of), lastResort }, this.requesters.policy())
      })
  }

  /** Strangers draw from what is not kept for contacts, and find the rest of a pool empty. */
  draw(standing: Standing, asked: ReservePrekey, suite: Suite): Drawn | null {
    const { oneTime, kept } = this.#oneTime(suite)
    const lastResort = this.#prekeys.left(suite, 'last-resort') > 0
    const kind = drawnKind(asked, { oneTime: leftFor(standing, oneTime, kept) > 0, lastResort })
    return kind && this.#prekeys.draw(suite, kind)
  }

  /** A prekey that was drawn, while it is kept. */
  drawn(prekeyId: string): Drawn | null {
    return this.#prekeys.find(prekeyId)
  }

  /** Ends what is left of a device. */
  supersede(deviceId: string): void {
    this.#prekeys.supersede(deviceId)
  }

  /** Ends every prekey and the settings. */
  end(): void {
    this.#prekeys.end()
    this.requesters.put(DEFAULT_SETTINGS)
  }

  spendOneTime(): void {
    this.#prekeys.spendOneTime()
  }

  forget(now: number): void {
    this.#prekeys.forget(oldestKept(now))
  }

  earliestUsedUp(): number | null {
    return this.#prekeys.earliestUsedUp()
  }

  #oneTime(suite: Suite): { readonly oneTime: number; readonly kept: number } {
    const level = { oneTime: this.#prekeys.left(suite, 'one-time'), setAside: this.#prekeys.kept(suite) }
    const kept = keptOf(level, this.requesters.policy(), this.requesters.hasContacts())
    return { oneTime: level.oneTime, kept }
  }
}
