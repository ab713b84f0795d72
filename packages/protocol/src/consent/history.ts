/**
 * The rules of a record's acts: what each act leaves declared, and whether a history is valid. The service enforces
 * them; readers verify them without the service.
 *
 * @module
 */

import { bytesOf } from '../base/base64url.ts'
import { didOf, userIdOfKey } from '../base/identity.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import type { ConsentClaim } from './claims.ts'
import { type ConsentAct, type ConsentMessage, type Preferences, verifyConsent } from './consent.ts'
import type { ConsentEntry } from './history-page.ts'
import type { ConsentSettlement } from './settlement.ts'

/** The declared preferences after an act; null once revoked. */
export type DeclaredState = Preferences | null

/** Applies an act to the declared state; undefined if the act is not allowed in that state. */
export function stateAfter(
  before: DeclaredState,
  { action, preferences }: Pick<ConsentAct, 'action' | 'preferences'>,
): DeclaredState | undefined {
  switch (action) {
    case 'create':
      return before === null && preferences ? preferences : undefined
    case 'update':
      return before && preferences ? { ...before, ...preferences } : undefined
    case 'delete':
      return before && preferences === null ? null : undefined
  }
}

/** The message an act signs. */
export function messageOf(
  hash: string,
  creatorDid: string,
  { preferences }: Pick<ConsentAct, 'preferences'>,
): ConsentMessage {
  return preferences === null
    ? { content_hash: hash, action: 'delete', creator_did: creatorDid }
    : { content_hash: hash, preferences, creator_did: creatorDid }
}

export interface DatedState {
  readonly version: number
  /** When the service recorded it, epoch milliseconds. Asserted by the service; the creator does not sign it. */
  readonly at: number
  /** Who holds the identifier in this state. */
  readonly creatorDid: string
  readonly preferences: DeclaredState
}

export interface VerifiedHistory {
  readonly states: readonly DatedState[]
  /**
   * Versions whose key is linked to its owner only by the service's claim: those signed by devices, those signed by root
   * keys of epochs missing from `rootKeys`, and settlements, unless `operators` are known.
   */
  readonly unproved: readonly number[]
}

export type HistoryFault = {
  readonly reason: 'gap' | 'time' | 'step' | 'key' | 'signature' | 'creator'
  readonly version: number
}

interface RootKey {
  readonly epoch: number
  readonly publicKeyB64u: string
}

/** Whether `rootKeys` or the DID itself prove that this was the creator's root key; null if they are inconclusive. */
function isRootKey(creatorDid: string, { signer, public_key_b64u: key }: ConsentAct, rootKeys: readonly RootKey[]) {
  if (signer.kind === 'device') return null
  if (signer.epoch === 0) return didOf(userIdOfKey(key)) === creatorDid
  const known = rootKeys.find(({ epoch }) => epoch === signer.epoch)
  return known ? known.publicKeyB64u === key : null
}

/** What the caller knows independently of the history. */
export interface HistoryContext {
  readonly hash: string
  /** Who holds the identifier after the last of the acts. */
  readonly creatorDid: string
  /** Verified root keys of creators, by DID; the key of epoch 0 follows from the DID. */
  readonly rootKeys?: ReadonlyMap<string, readonly RootKey[]>
  /** The realms of the deployment. Without them, a settlement counts for the realm that it names. */
  readonly realms?: Realms
  /** The userIds of the deployment's operator keys. */
  readonly operators?: readonly string[]
}

/** Verifies all acts of a record, starting with the first. */
export async function verifyConsentHistory(
  context: HistoryContext,
  entries: readonly ConsentEntry[],
): Promise<Result<VerifiedHistory, HistoryFault>> {
  const states: DatedState[] = []
  const unproved: number[] = []
  let creatorDid = firstCreatorOf(entries) ?? context.creatorDid
  for (const entry of entries) {
    const { version } = entry
    const before = states.at(-1)
    if (version !== states.length + 1) return err({ reason: 'gap', version })
    if (before && entry.recorded_at < before.at) return err({ reason: 'time', version })
    const judged =
      entry.action === 'settle'
        ? await judgeSettlement(context, creatorDid, entry)
        : await judgeAct(context, creatorDid, before?.preferences ?? null, entry)
    if (!judged.ok) return err({ reason: judged.error, version })
    if (!judged.value.isProved) unproved.push(version)
    const { preferences } = judged.value
    creatorDid = judged.value.creatorDid
    states.push({ version, at: entry.recorded_at, creatorDid, preferences })
  }
  const last = states.at(-1)
  if (last && creatorDid !== context.creatorDid) return err({ reason: 'creator', version: last.version })
  return ok({ states, unproved })
}

interface Judged {
  readonly creatorDid: string
  readonly preferences: DeclaredState
  readonly isProved: boolean
}

/** Whose acts precede the first settlement; their signatures prove it. */
function firstCreatorOf(entries: readonly ConsentEntry[]): string | undefined {
  return entries.find((entry) => entry.action === 'settle')?.previous_creator_did
}

async function judgeAct(
  { hash, rootKeys }: Pick<HistoryContext, 'hash' | 'rootKeys'>,
  creatorDid: string,
  before: DeclaredState,
  act: ConsentAct,
): Promise<Result<Judged, HistoryFault['reason']>> {
  const preferences = stateAfter(before, act)
  if (preferences === undefined) return err('step')
  const isRoot = isRootKey(creatorDid, act, rootKeys?.get(creatorDid) ?? [])
  if (isRoot === false) return err('key')
  if (!(await verifyConsent(messageOf(hash, creatorDid, act), act.public_key_b64u, act.signature_b64u))) {
    return err('signature')
  }
  return ok({ creatorDid, preferences, isProved: isRoot !== null })
}

async function judgeSettlement(
  { hash, realms, operators }: HistoryContext,
  holderDid: string,
  { statement, signature_b64u: signatureB64u, public_key_b64u: key, ...entry }: ConsentSettlement,
): Promise<Result<Judged, HistoryFault['reason']>> {
  const { creatorDid } = statement
  const isStep = statement.contentHash === hash && entry.previous_creator_did === holderDid && creatorDid !== holderDid
  if (!isStep) return err('step')
  const userId = userIdOfKey(key)
  if (userId !== entry.signer.user_id || operators?.includes(userId) === false) return err('key')
  if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(key), realms ?? [statement.realm]))) {
    return err('signature')
  }
  return ok({ creatorDid, preferences: null, isProved: operators !== undefined })
}

/**
 * Verifies a competing claim: undefined if it is not what its claimant signed; otherwise whether more than the service's
 * word links the key to the claimant.
 */
export async function verifyConsentClaim(
  context: Pick<HistoryContext, 'hash' | 'rootKeys'>,
  claim: ConsentClaim,
): Promise<{ readonly isProved: boolean } | undefined> {
  const judged = await judgeAct(context, claim.creator_did, null, { ...claim, version: 1, action: 'create' })
  return judged.ok ? { isProved: judged.value.isProved } : undefined
}

/** The declared state at a time, epoch milliseconds; null if there was none. */
export function declaredAt({ states }: VerifiedHistory, at: number): DatedState | null {
  return states.findLast((state) => state.at <= at) ?? null
}
