/**
 * The law of an account's directory: which package may follow which, which prekeys may join a pool, and what a
 * reservation comes to. Whether signatures hold was decided before; time is given.
 *
 * @module
 */
import {
  HISTORY_MS,
  LOW_STOCK,
  MAX_ACCOUNT_RESERVATIONS,
  MAX_BATCH_AGE_MS,
  MAX_POOL,
  MAX_REQUESTER_RESERVATIONS,
  type PrekeyStock,
  type ReservePrekey,
} from '@svc/protocol/key-directory'
import type { PrekeyKind, Profile, SuiteId } from '@svc/protocol/key-packages'

/** Statements of a clock that goes ahead: the shared verifier's five minutes. */
const SKEW_MS = 300_000
/** Core attests at most 32 devices at a time; with those that were revoked. */
export const MAX_DEVICES = 128

/** What was published and revoked of one device. */
export interface DeviceState {
  /** The newest version of any of its packages. */
  readonly version: number
  /** Packages up to this version are revoked; 0 when none is. */
  readonly revokedVersion: number
  /** When the newest revocation was signed; 0 when there is none. Prekeys that were signed before it stay out. */
  readonly revokedAt: number
}

export const UNKNOWN_DEVICE: DeviceState = { version: 0, revokedVersion: 0, revokedAt: 0 }

/** Whether a statement is from a time that has not come. */
export function isFromTheFuture(issuedAt: number, now: number): boolean {
  return issuedAt > now + SKEW_MS
}

/** A package replaces older ones alone: one that was captured cannot bring back keys that were given up. */
export function maySucceed(version: number, device: DeviceState): boolean {
  return version > device.version && version > device.revokedVersion
}

/** A revocation names the newest package, so that one that was captured cannot end a later one. */
export function mayRevoke(version: number, device: DeviceState): boolean {
  return version === device.version && version > device.revokedVersion
}

export function isRevoked(version: number, device: DeviceState): boolean {
  return version <= device.revokedVersion
}

/** A batch is uploaded soon after it is made, and not across a revocation. */
export function isBatchCurrent(issuedAt: number, device: DeviceState, now: number): boolean {
  return issuedAt > device.revokedAt && issuedAt > now - MAX_BATCH_AGE_MS && !isFromTheFuture(issuedAt, now)
}

export function fitsPool(left: number, added: number): boolean {
  return left + added <= MAX_POOL
}

export function stockOf(
  suite: { readonly profile: Profile; readonly suiteId: SuiteId },
  oneTime: number,
  lastResort: boolean,
): PrekeyStock {
  return { ...suite, oneTime, lastResort, low: oneTime < LOW_STOCK }
}

/** Document 2 section 4.4: bound v4 requires `one-time-required`. */
export function isPolicyAllowed({
  profile,
  fallbackPolicy,
}: Pick<ReservePrekey, 'profile' | 'fallbackPolicy'>): boolean {
  return profile !== 'bound-v4' || fallbackPolicy === 'one-time-required'
}

/** What a reservation draws, or null where it is refused: never a last resort that the caller has not asked for. */
export function drawnKind(
  { fallbackPolicy, profile }: ReservePrekey,
  left: { readonly oneTime: boolean; readonly lastResort: boolean },
): PrekeyKind | null {
  if (left.oneTime) return 'one-time'
  const mayFallBack = fallbackPolicy === 'last-resort-allowed' && profile !== 'bound-v4'
  return mayFallBack && left.lastResort ? 'last-resort' : null
}

/** Whether one more fits what a requester, and what everybody, may reserve in 24 hours. */
export function mayReserve(byRequester: number, byAll: number): boolean {
  return byRequester < MAX_REQUESTER_RESERVATIONS && byAll < MAX_ACCOUNT_RESERVATIONS
}

/** What is older is forgotten. */
export function oldestKept(now: number): number {
  return now - HISTORY_MS
}
