/** Facts that core derives from an event of an inception log alone, without the state of the identity. */
import { ACCEPTANCE_VALIDITY_MS } from '@svc/protocol/base/device'
import { statementHash } from '@svc/protocol/base/statement'
import type { AttestDevice, Device, InceptionEvent } from '@svc/protocol/devices/inception'
import type { EventKind } from '@svc/protocol/events/events'
import type { OnceStatement } from '../identity/transaction.ts'
import { RECORD_BYTES, type Room } from '../storage/rules.ts'

/** A device that ended without confirmation does not count towards the limit. */
export function isCounted({ status, confirmBy }: Device): boolean {
  return status !== 'revoked' && (confirmBy === undefined || Date.now() < confirmBy)
}

const DEVICE_EVENTS = {
  revoke: 'device.revoked',
  suspend: 'device.suspended',
  resume: 'device.resumed',
  capabilities: 'device.changed',
} as const

export function deviceEventOf({ statement }: InceptionEvent): EventKind {
  return 'event' in statement ? DEVICE_EVENTS[statement.event] : 'device.attested'
}

export function isProtective({ statement }: InceptionEvent): boolean {
  return 'event' in statement && (statement.event === 'revoke' || statement.event === 'suspend')
}

/**
 * Whether an event about a device is dated more than an hour ago. It names the event before it, so it was signed just now.
 * Readers place notes and anchors in the log by time: after a backdated event, they all seem to follow it.
 */
export function isBackdated(event: InceptionEvent, now: number): boolean {
  return 'deviceId' in event.statement && event.statement.issuedAt < now - ACCEPTANCE_VALIDITY_MS
}

export function eventsRoom(events: readonly InceptionEvent[]): Room {
  const sizes = events.map((event) => JSON.stringify(event).length + RECORD_BYTES)
  return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), rows: events.length }
}

export function onceOf({ acceptance: { statement } }: AttestDevice): OnceStatement {
  return {
    signer: `acceptance:${statement.deviceId}`,
    hash: statementHash(statement),
    keepUntil: statement.issuedAt + ACCEPTANCE_VALIDITY_MS,
  }
}
