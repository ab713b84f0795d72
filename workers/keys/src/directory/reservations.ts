import type { ObjectStorage } from '@svc/objects'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { RESERVATION_MS, type ReservationReceipt, type ReservePrekey } from '@svc/protocol/keys/directory'
import { DEFAULT_SETTINGS, type DirectorySettings } from '@svc/protocol/keys/reserving'
import { isDefault } from '../prekeys/requester-store.ts'
import { type ReservationRow, ReservationStore } from '../prekeys/reservation-store.ts'
import { standingOf } from '../prekeys/rules.ts'
import type { Drawn, Suite } from '../prekeys/store.ts'
import type { AttestationRefusal } from './attested-device-client.ts'
import { keptUntil, mayReserve, oldestKept } from './rules.ts'
import { ACCOUNT_DIRECTORY } from './schema.ts'
import type { DirectoryTransaction, FindRefusal } from './transaction.ts'

export type ReserveRefusal =
  | FindRefusal
  | { readonly reason: 'idempotency_conflict' | 'reservation_ended' | 'reservation_limit' | 'prekeys_exhausted' }
  | { readonly reason: 'challenge_required' | 'stale_epoch' }
  | AttestationRefusal

export interface ReserveRequest {
  readonly accountDid: string
  readonly deviceId: string
  readonly requesterDid: string
  readonly requesterDevice: string | null
  readonly key: string
  readonly asked: ReservePrekey
  /** What core says of the device: the epoch of the root key that has to have signed its package, or why it is not in force. */
  readonly device: { readonly currentEpoch: number } | { readonly refusal: AttestationRefusal }
  /** What the account gave its contact; null if the requester shows nothing. Never kept. */
  readonly contactPassB64u: string | null
  /** Whether the requester has passed a challenge for this reservation. */
  readonly hasPassed: boolean
}

export interface Reserved {
  readonly prekey: Drawn
  readonly row: ReservationRow
}

const RESERVATION_ID_BYTES = 24

/** Reservations of an account's prekeys, and who may make them. */
export class ReservationTransaction {
  readonly reservations: ReservationStore
  readonly #stored: ObjectStorage
  readonly #directory: DirectoryTransaction

  constructor(stored: ObjectStorage, directory: DirectoryTransaction) {
    this.#stored = stored
    this.#directory = directory
    this.reservations = new ReservationStore(stored.sql)
  }

  /** Draws one prekey for one requester. A prekey is never handed out twice, even if it was never used. */
  reserve(request: ReserveRequest, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    return this.#stored.transact((): Result<Reserved, ReserveRefusal> => {
      const { accountDid, deviceId, requesterDid, requesterDevice, key, asked, device } = request
      const suite: Suite = { deviceId, profile: asked.profile, suiteId: asked.suiteId }
      const { pools } = this.#directory
      const found = this.#directory.find(deviceId, suite.profile, suite.suiteId)
      if (!found.ok) return found
      if ('refusal' in device) return err(device.refusal)
      if (found.value.pair.credential.statement.rootEpoch !== device.currentEpoch) return err({ reason: 'stale_epoch' })
      const before = this.reservations.find(accountDid, requesterDid, key)
      if (before) return this.#again(before, bodyHash, now)
      const isContact = pools.requesters.isContact(accountDid, requesterDid, request.contactPassB64u)
      const standing = standingOf({ isContact, hasPassed: request.hasPassed }, pools.requesters.policy())
      if (!standing) return err({ reason: 'challenge_required' })
      const { byRequester, byStanding } = this.reservations.since(now - RESERVATION_MS, requesterDid, standing)
      if (!mayReserve(byRequester, byStanding)) return err({ reason: 'reservation_limit' })
      const prekey = pools.draw(standing, asked, suite)
      if (!prekey) return err({ reason: 'prekeys_exhausted' })
      const row: ReservationRow = {
        reservationId: encodeBase64url(crypto.getRandomValues(new Uint8Array(RESERVATION_ID_BYTES))),
        accountDid,
        requesterDid,
        requesterDevice,
        ...suite,
        kind: prekey.kind,
        prekeyId: prekey.prekeyId,
        leafId: found.value.leafId,
        reservedAt: now,
        expiresAt: now + RESERVATION_MS,
        key,
        bodyHash,
        receipt: null,
        standing,
      }
      this.reservations.add(row)
      return ok({ prekey, row })
    })
  }

  keepReceipt(reservationId: string, receipt: ReservationReceipt): ReservationReceipt {
    return this.#stored.transact(() => this.reservations.keepReceipt(reservationId, receipt))
  }

  settings(): DirectorySettings {
    return this.#stored.exists ? this.#directory.pools.requesters.settings() : DEFAULT_SETTINGS
  }

  /** In effect for the next reservation. The settings of a new account make nothing. */
  configure(settings: DirectorySettings): DirectorySettings {
    return this.#stored.transact(() => {
      if (!this.#stored.exists && isDefault(settings)) return DEFAULT_SETTINGS
      this.#stored.create(ACCOUNT_DIRECTORY)
      this.#directory.pools.requesters.put(settings)
      return this.#directory.pools.requesters.settings()
    })
  }

  forget(now: number): void {
    if (!this.#stored.exists) return
    this.#stored.transact(() => {
      this.reservations.forget(now, oldestKept(now))
      this.#directory.pools.forget(now)
    })
  }

  /** When there is something to forget; null if nothing that is kept expires. */
  nextForgetting(): number | null {
    const { receipt, reservation } = this.reservations.earliest()
    const times = [receipt, keptUntil(reservation), keptUntil(this.#directory.pools.earliestUsedUp())]
    return times.reduce((least, time) => (time === null || (least !== null && least < time) ? least : time), null)
  }

  #again(before: ReservationRow, bodyHash: string, now: number): Result<Reserved, ReserveRefusal> {
    if (before.bodyHash !== bodyHash) return err({ reason: 'idempotency_conflict' })
    const prekey = before.expiresAt > now ? this.#directory.pools.drawn(before.prekeyId) : null
    return prekey ? ok({ prekey, row: before }) : err({ reason: 'reservation_ended' })
  }
}
