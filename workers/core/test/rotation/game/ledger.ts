/** What the service keeps of an identity under theft, kept a second time. Time is in ms. */
import { ROTATION_REQUEST_PERIOD_MS, type RotationStatus } from '@svc/protocol/chain/rotation'
import type * as rules from '../../../src/rotation/rules.ts'
import type { Span } from '../../../src/rotation/standing-rules.ts'
import type { Player } from './model.ts'

export interface KnownDevice {
  readonly holder: Player
  readonly cosigns: boolean
  readonly revoked: boolean
  readonly expiresAt: number | null
  readonly spans: readonly Span[]
}

/** A request that somebody signed; `unsent` while core does not know it. */
export interface KnownRequest extends Omit<rules.Pending, 'status' | 'cosigners'> {
  readonly kind: 'rotation' | 'deactivation'
  readonly by: Player
  readonly status: RotationStatus | 'unsent'
  /** Indices of devices. */
  readonly cosigners: readonly number[]
  readonly eligible: readonly number[]
  readonly witnesses: readonly number[]
  readonly freezes: number
  readonly cancels: number
}

/** `root`: S stolen, so both hold it; O, T rotated to a key of one player; X deactivated. */
export interface Ledger {
  readonly root: 'S' | 'O' | 'T' | 'X'
  readonly devices: readonly KnownDevice[]
  readonly requests: readonly KnownRequest[]
  /** The request that the public summary shows. */
  readonly newest: number | null
  /** A security hold: no change of devices, and no deactivation takes effect. */
  readonly held: boolean
}

export const set = <T>(all: readonly T[], i: number, changes: Partial<T>): T[] =>
  all.map((one, k) => (k === i ? { ...one, ...changes } : one))

/** The pending request as the rules see it. */
export const asPending = ({ cosigners, status, ...rest }: KnownRequest): rules.Pending => ({
  ...rest,
  status: status === 'unsent' ? 'pending' : status,
  cosigners: cosigners.map(String),
})

/** A span that nobody ended ends when its device expires. */
export const spansOf = ({ spans, expiresAt }: KnownDevice, now: number): Span[] =>
  spans.map((span) => ({ ...span, until: span.until ?? (expiresAt !== null && expiresAt <= now ? expiresAt : null) }))

export const isActive = ({ revoked, expiresAt }: KnownDevice, now: number) =>
  !revoked && (expiresAt === null || now < expiresAt)

export const unsent = (by: Player, version: 1 | 2, kind: KnownRequest['kind'] = 'rotation'): KnownRequest => ({
  kind,
  by,
  basis: 'root',
  version,
  status: 'unsent',
  requestedAt: 0,
  deadline: null,
  contestedAt: null,
  requiredCosigners: 0,
  approvedAt: null,
  cosigners: [],
  eligible: [],
  witnesses: [],
  freezes: 0,
  cancels: 0,
})

export function known({ requests }: Ledger, i: number): KnownRequest {
  const request = requests[i]
  if (!request) throw new Error(`No request ${i}`)
  return request
}

export function pendingOf({ requests }: Ledger): number | null {
  const i = requests.findIndex(({ status }) => status === 'pending')
  return i === -1 ? null : i
}

export function pendingRequest(ledger: Ledger): rules.Pending | null {
  const i = pendingOf(ledger)
  return i === null ? null : asPending(known(ledger, i))
}

export function displaced(ledger: Ledger, by: number | null): Ledger {
  const i = pendingOf(ledger)
  return i === null || i === by ? ledger : { ...ledger, requests: set(ledger.requests, i, { status: 'displaced' }) }
}

/** Core forgets what ended without a co-signature 30 days after it was requested, when another request is opened. */
export function forgetting(ledger: Ledger, now: number): Ledger {
  const isForgotten = ({ status, cosigners, requestedAt }: KnownRequest) =>
    ['frozen', 'cancelled', 'displaced'].includes(status) &&
    cosigners.length === 0 &&
    requestedAt <= now - ROTATION_REQUEST_PERIOD_MS
  const requests = ledger.requests.map((one) => (isForgotten(one) ? unsent(one.by, one.version, one.kind) : one))
  return { ...ledger, requests }
}

export function withNew(ledger: Ledger, i: number, by: Player, version: 1 | 2): Ledger {
  if (i < ledger.requests.length) return ledger
  return { ...ledger, requests: [...ledger.requests, unsent(by, version)] }
}

export function ended({ spans, expiresAt }: KnownDevice, now: number): Span[] {
  const end = Math.min(now, expiresAt ?? now)
  return spans.map((span) => ({ ...span, until: span.until ?? end }))
}
