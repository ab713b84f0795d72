/**
 * What a reservation says, to the requester and to the owner.
 *
 * @module
 */
import { hashHex } from '@svc/protocol/hash'
import { jcsBytes } from '@svc/protocol/jcs'
import type { ReservationEntry, ReservePrekey } from '@svc/protocol/key-directory'

/** One idempotency key stands for one request: this device, profile, suite and policy. */
export function bodyHashOf({
  deviceId,
  asked: { profile, suiteId, fallbackPolicy },
}: {
  readonly deviceId: string
  readonly asked: ReservePrekey
}): string {
  return hashHex(jcsBytes({ deviceId, profile, suiteId, fallbackPolicy }))
}

/** The members that the owner sees, and no other: the requester's idempotency key is its own. */
export function entryOf(row: ReservationEntry): ReservationEntry {
  const { reservationId, accountDid, deviceId, requesterDid, requesterDevice } = row
  const { profile, suiteId, kind, prekeyId, expiresAt, reservedAt } = row
  return {
    reservationId,
    accountDid,
    deviceId,
    requesterDid,
    requesterDevice,
    profile,
    suiteId,
    kind,
    prekeyId,
    expiresAt,
    reservedAt,
  }
}

/** What the directory signs. */
export function receiptOf(row: ReservationEntry & { readonly leafId: string }, directory: string) {
  const { requesterDevice: _, reservedAt, ...members } = entryOf(row)
  return { type: 'svc/prekey-reservation/v1', directory, ...members, leafId: row.leafId, issuedAt: reservedAt } as const
}
