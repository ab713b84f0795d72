/**
 * The rules of an account's directory: which package may follow which, which prekeys may join a pool, and what a
 * reservation returns. Callers verify signatures first and pass the time.
 *
 * @module
 */

import { isOlderHead, type KnownInception } from '@svc/protocol/base/inception-head'
import {
  HISTORY_MS,
  KEPT_DIVISOR,
  LOW_STOCK,
  MAX_ACCOUNT_RESERVATIONS,
  MAX_BATCH_AGE_MS,
  MAX_POOL,
  MAX_REQUESTER_RESERVATIONS,
  type PrekeyStock,
  type ReservePrekey,
} from '@svc/protocol/keys/directory'
import type { PrekeyKind, Profile, SuiteId } from '@svc/protocol/keys/packages'
import type { DirectorySettings } from '@svc/protocol/keys/reserving'
import type { Standing } from '../prekeys/rules.ts'

/** How far ahead the clock of a statement may be: the shared verifier's five minutes. */
const SKEW_MS = 300_000
/** Core attests at most 32 devices at a time. This also counts revoked ones. */
export const MAX_DEVICES = 128

/** What was published and revoked for one device. */
export interface DeviceState {
  /** The newest version of any of its packages. */
  readonly version: number
  /** Packages up to this version are revoked; 0 if none is. */
  readonly revokedVersion: number
  /** The issue time of the newest revocation; 0 if there is none. Prekeys signed before it are refused. */
  readonly revokedAt: number
}

/** Whether an update of a device may follow one that names this event: readers refuse an account that goes back. */
export function mayFollow({ inception }: { readonly inception: KnownInception }, newest: KnownInception): boolean {
  return !isOlderHead(inception, newest)
}

export const UNKNOWN_DEVICE: DeviceState = { version: 0, revokedVersion: 0, revokedAt: 0 }

/** Whether a statement ends its account for good. */
export function isDeactivation({ type }: { readonly type: string }): boolean {
  return type === 'svc/did-deactivate/v1'
}

/** The root epoch that begins with a rotation that has taken effect; null for any other statement. */
export function rotatedEpoch(statement: { readonly type: string }): number | null {
  const isRotation = statement.type === 'svc/rotation-request/v1' && 'epoch' in statement
  return isRotation && typeof statement.epoch === 'number' ? statement.epoch : null
}

/** Whether a statement is dated in the future. */
export function isFromTheFuture(issuedAt: number, now: number): boolean {
  return issuedAt > now + SKEW_MS
}

/** A package may only replace older ones, so a captured one cannot bring abandoned keys back. */
export function maySucceed(version: number, device: DeviceState): boolean {
  return version > device.version && version > device.revokedVersion
}

/** A revocation names the newest package, so a captured one cannot revoke a later package. */
export function mayRevoke(version: number, device: DeviceState): boolean {
  return version === device.version && version > device.revokedVersion
}

export function isRevoked(version: number, device: DeviceState): boolean {
  return version <= device.revokedVersion
}

/** A batch must be recent and newer than the last revocation. */
export function isBatchCurrent(issuedAt: number, device: DeviceState, now: number): boolean {
  return issuedAt > device.revokedAt && issuedAt > now - MAX_BATCH_AGE_MS && !isFromTheFuture(issuedAt, now)
}

export function fitsPool(left: number, added: number): boolean {
  return left + added <= MAX_POOL
}

/** One-time prekeys of a pool: how many are left, and how many of them are set aside for contacts, if there are any. */
export interface PoolLevel {
  readonly oneTime: number
  readonly setAside: number
}

/** What is set aside of a pool after an upload. */
export function setAsideOf(left: number): number {
  return Math.ceil(left / KEPT_DIVISOR)
}

/** How many only contacts get. An account without contacts keeps nothing back: there is nobody to keep it for. */
export function keptOf(
  { oneTime, setAside }: PoolLevel,
  reserve: DirectorySettings['reserve'],
  hasContacts: boolean,
): number {
  if (reserve === 'contacts') return oneTime
  return hasContacts ? Math.min(oneTime, setAside) : 0
}

/** How many a requester of this standing can draw from. */
export function leftFor(standing: Standing, oneTime: number, kept: number): number {
  return standing === 'contact' ? oneTime : oneTime - kept
}

/** Low if contacts, or strangers where they are served, find few. */
export function stockOf(
  suite: { readonly profile: Profile; readonly suiteId: SuiteId },
  { oneTime, kept, lastResort }: { readonly oneTime: number; readonly kept: number; readonly lastResort: boolean },
  reserve: DirectorySettings['reserve'],
): PrekeyStock {
  const open = reserve === 'contacts' ? oneTime : oneTime - kept
  return { ...suite, oneTime, kept, lastResort, low: open < LOW_STOCK }
}

/** The profile bound v4 requires `one-time-required`. */
export function isPolicyAllowed({
  profile,
  fallbackPolicy,
}: Pick<ReservePrekey, 'profile' | 'fallbackPolicy'>): boolean {
  return profile !== 'bound-v4' || fallbackPolicy === 'one-time-required'
}

/** The prekey that a reservation draws, or null to refuse it. Draws a last-resort prekey only if the caller allows it. */
export function drawnKind(
  { fallbackPolicy, profile }: ReservePrekey,
  left: { readonly oneTime: boolean; readonly lastResort: boolean },
): PrekeyKind | null {
  if (left.oneTime) return 'one-time'
  const mayFallBack = fallbackPolicy === 'last-resort-allowed' && profile !== 'bound-v4'
  return mayFallBack && left.lastResort ? 'last-resort' : null
}

/** Whether the requester, and all with the same standing together, may reserve one more in 24 hours. */
export function mayReserve(byRequester: number, byStanding: number): boolean {
  return byRequester < MAX_REQUESTER_RESERVATIONS && byStanding < MAX_ACCOUNT_RESERVATIONS
}

/** When a row of this time is deleted; null for none. */
export function keptUntil(time: number | null): number | null {
  return time === null ? null : time + HISTORY_MS + 1
}

/** Older rows are deleted. */
export function oldestKept(now: number): number {
  return now - HISTORY_MS
}
