/**
 * The shapes of a reservation, for the requester and for the owner.
 *
 * @module
 */
import { hashHex } from '@svc/protocol/base/hash'
import { jcsBytes } from '@svc/protocol/base/jcs'
import type { ReservationEntry, ReservePrekey } from '@svc/protocol/keys/directory'
import type { DirectorySettings } from '@svc/protocol/keys/reserving'

/** What a requester is to the account: one whom it has listed, somebody who passed a challenge for this, or anybody else. */
export type Standing = 'contact' | 'challenged' | 'stranger'

/** Null for a stranger who has to pass a challenge first. */
export function standingOf(
  { isContact, hasPassed }: { readonly isContact: boolean; readonly hasPassed: boolean },
  reserve: DirectorySettings['reserve'],
): Standing | null {
  if (isContact) return 'contact'
  if (hasPassed) return 'challenged'
  return reserve === 'challenge' ? null : 'stranger'
}

/** One idempotency key stands for one request: this device, profile, suite and policy, whatever challenge was passed. */
export function bodyHashOf({
  deviceId,
  asked: { profile, suiteId, fallbackPolicy },
}: {
  readonly deviceId: string
  readonly asked: ReservePrekey
}): string {
  return hashHex(jcsBytes({ deviceId, profile, suiteId, fallbackPolicy }))
}

/** The only members that the owner sees. The requester's idempotency key stays private. */
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
