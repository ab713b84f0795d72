/**
 * The law of a record's acts: what each leaves declared, and whether a history holds. The service decides by it and a
 * reader checks by it, without the service.
 *
 * @module
 */
import { type ConsentAct, type ConsentMessage, type Preferences, verifyConsent } from './consent.ts'
import { didOf, userIdOfKey } from './identity.ts'
import { err, ok, type Result } from './result.ts'

/** What is declared after an act; null once it is revoked. */
export type DeclaredState = Preferences | null

/** An act on what is declared before it; undefined when there is no such step. */
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

/** What an act signs. */
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
  /** When the service recorded it, epoch milliseconds: its word, which no creator signs. */
  readonly at: number
  readonly preferences: DeclaredState
}

export interface VerifiedHistory {
  readonly states: readonly DatedState[]
  /**
   * Versions of which only the service says that their key spoke for the creator: those signed by devices, and those by
   * root keys of an epoch that the caller gave no key of.
   */
  readonly unproved: readonly number[]
}

export type HistoryFault = {
  readonly reason: 'gap' | 'time' | 'step' | 'key' | 'signature'
  readonly version: number
}

interface RootKey {
  readonly epoch: number
  readonly publicKeyB64u: string
}

/** Whether `rootKeys` or the DID itself say that this was the creator's root key; null when they say nothing. */
function isRootKey(creatorDid: string, { signer, public_key_b64u: key }: ConsentAct, rootKeys: readonly RootKey[]) {
  if (signer.kind === 'device') return null
  if (signer.epoch === 0) return didOf(userIdOfKey(key)) === creatorDid
  const known = rootKeys.find(({ epoch }) => epoch === signer.epoch)
  return known ? known.publicKeyB64u === key : null
}

/**
 * Verifies all acts of a record from the first one on. `rootKeys` are the creator's, verified elsewhere; the one of epoch
 * 0 is told from the DID.
 */
export async function verifyConsentHistory(
  {
    hash,
    creatorDid,
    rootKeys = [],
  }: { readonly hash: string; readonly creatorDid: string; readonly rootKeys?: readonly RootKey[] },
  acts: readonly ConsentAct[],
): Promise<Result<VerifiedHistory, HistoryFault>> {
  const states: DatedState[] = []
  const unproved: number[] = []
  for (const act of acts) {
    const { version } = act
    const before = states.at(-1)
    if (version !== states.length + 1) return err({ reason: 'gap', version })
    if (before && act.recorded_at < before.at) return err({ reason: 'time', version })
    const preferences = stateAfter(before?.preferences ?? null, act)
    if (preferences === undefined) return err({ reason: 'step', version })
    const isOurs = isRootKey(creatorDid, act, rootKeys)
    if (isOurs === false) return err({ reason: 'key', version })
    if (!(await verifyConsent(messageOf(hash, creatorDid, act), act.public_key_b64u, act.signature_b64u))) {
      return err({ reason: 'signature', version })
    }
    if (isOurs === null) unproved.push(version)
    states.push({ version, at: act.recorded_at, preferences })
  }
  return ok({ states, unproved })
}

/** What was declared at a time, epoch milliseconds; null when nothing was. */
export function declaredAt({ states }: VerifiedHistory, at: number): DatedState | null {
  return states.findLast((state) => state.at <= at) ?? null
}
