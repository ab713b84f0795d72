/**
 * Verifies log lists: the first one against pinned keys, and each next one against its predecessor. The rules are those
 * of a trust root that rolls its own keys: a threshold of the old keys approves the new ones, and a threshold of the new
 * keys shows that somebody holds them.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import { CHECKPOINT_TYPES } from './checkpoint.ts'
import { areKeysConsistent, mayKeysBecome } from './listed-keys.ts'
import { type ListedLog, type ListKeys, type LogList, listHash, type SignedLogList } from './log-list.ts'

export type ListFault = {
  readonly reason:
    | 'wrong_realm'
    /** Its time is over: the service may be hiding a newer one. */
    | 'list_expired'
    | 'threshold_not_met'
    /** Neither the next version nor a list that names the one before. */
    | 'not_successor'
    /** Older than a list that was seen. */
    | 'list_rolled_back'
    /**
     * Contradicts itself or the list before: a log that vanished, reopened or changed its key, a key that revived, or
     * another key of labels.
     */
    | 'list_inconsistent'
}

/** The newest list of an answer, verified from keys that the caller trusts: given, or seen first. */
export async function verifyPinnedList(
  list: SignedLogList,
  pinned: ListKeys,
  realms: Realms,
  now: number,
): Promise<Result<LogList, ListFault>> {
  const fault = await faultOf(list, pinned, realms)
  if (fault) return err({ reason: fault })
  return current(list, now)
}

/** From a list that was verified before to the newest one, through every list between them. */
export async function followLists(
  trusted: SignedLogList,
  later: readonly SignedLogList[],
  realms: Realms,
  now: number,
): Promise<Result<SignedLogList, ListFault>> {
  let last = trusted
  for (const next of later) {
    const followed = await verifyNextList(last, next, realms)
    if (!followed.ok) return followed
    last = next
  }
  const isCurrent = current(last, now)
  return isCurrent.ok ? ok(last) : isCurrent
}

/** Whether a list may replace the one before. Does not look at the time: an old list is valid history. */
export async function verifyNextList(
  before: SignedLogList,
  next: SignedLogList,
  realms: Realms,
): Promise<Result<void, ListFault>> {
  const [a, b] = [before.statement, next.statement]
  if (b.version < a.version) return err({ reason: 'list_rolled_back' })
  const hash = listHash(before)
  // Two different lists of one version are a fork.
  if (b.version === a.version) return listHash(next) === hash ? ok(undefined) : err({ reason: 'not_successor' })
  if (b.version !== a.version + 1 || b.previous !== hash || b.issuedAt < a.issuedAt) {
    return err({ reason: 'not_successor' })
  }
  const fault = await faultOf(next, a.keys, realms)
  if (fault) return err({ reason: fault })
  // Another key of labels would give every account a second label.
  const isSame = a.namespace === b.namespace && a.labelKeyB64u === b.labelKeyB64u
  const isContinued = isSame && a.logs.every((one) => mayBecome(one, b.logs))
  return isContinued && mayKeysBecome(a, b, { since: a.issuedAt, now: b.issuedAt })
    ? ok(undefined)
    : err({ reason: 'list_inconsistent' })
}

function current({ statement }: SignedLogList, now: number): Result<LogList, ListFault> {
  return now <= statement.validUntil ? ok(statement) : err({ reason: 'list_expired' })
}

async function faultOf(list: SignedLogList, keys: ListKeys, realms: Realms): Promise<ListFault['reason'] | null> {
  const { statement } = list
  if (!realms.includes(statement.realm)) return 'wrong_realm'
  if ((statement.version === 1) !== (statement.previous === null)) return 'not_successor'
  if (!(await isSignedBy(list, keys, realms))) return 'threshold_not_met'
  if (!(await isSignedBy(list, statement.keys, realms))) return 'threshold_not_met'
  return (await isConsistent(statement, realms)) ? null : 'list_inconsistent'
}

/** Whether enough distinct keys of the set have signed; other signatures are ignored. */
async function isSignedBy({ statement, signatures }: SignedLogList, keys: ListKeys, realms: Realms): Promise<boolean> {
  const signers = new Set<string>()
  for (const { publicKeyB64u, signatureB64u } of signatures) {
    if (signers.has(publicKeyB64u) || !keys.publicKeysB64u.includes(publicKeyB64u)) continue
    const signed = { statement, signatureB64u }
    if (await verifyStatement(signed, bytesOf(publicKeyB64u), realms)) signers.add(publicKeyB64u)
  }
  return signers.size >= keys.threshold
}

async function isConsistent(list: LogList, realms: Realms): Promise<boolean> {
  const { logs } = list
  if (list.validUntil <= list.issuedAt || list.realms[0] !== list.realm || !areKeysConsistent(list)) return false
  // A key that signs for two logs could move a checkpoint from one to the other.
  if (new Set(logs.map(({ log }) => log)).size !== logs.length) return false
  if (new Set(logs.map(({ publicKeyB64u }) => publicKeyB64u)).size !== logs.length) return false
  for (const one of logs) {
    if (!(await hasItsEnd(one, realms)) || !continues(one, logs)) return false
    const taking = logs.filter((other) => other.state === 'open' && other.series === one.series)
    if (one.state === 'open' && taking.some((other) => other !== one && overlaps(other.slot, one.slot))) return false
  }
  return true
}

/** A closed log has its final checkpoint, signed by its key; no other log has one. */
async function hasItsEnd({ log, series, state, publicKeyB64u, final }: ListedLog, realms: Realms): Promise<boolean> {
  if (state !== 'closed') return final === null
  if (!final || final.publicKeyB64u !== publicKeyB64u) return false
  const { statement } = final
  if (statement.log !== log || statement.type !== CHECKPOINT_TYPES[series]) return false
  const { signatureB64u } = final
  return verifyStatement({ statement, signatureB64u }, bytesOf(publicKeyB64u), realms)
}

/** A log continues a closed one of its series, as that one ended. An announced log learns the end later. */
function continues({ series, state, previous }: ListedLog, logs: readonly ListedLog[]): boolean {
  if (previous === null) return true
  const before = logs.find(({ log }) => log === previous.log)
  if (state === 'announced' || before?.series !== series || !before.final) return false
  const { size, root } = before.final.statement
  return previous.size === size && previous.root === root
}

/** Whether two slots share a label: the one with fewer bits is a prefix of the other. */
function overlaps(a: ListedLog['slot'], b: ListedLog['slot']): boolean {
  const bits = Math.min(a.bits, b.bits)
  return a.value >> (a.bits - bits) === b.value >> (b.bits - bits)
}

/** A listed log stays listed with its key and only moves forward. What it was opened on and how it ended never change. */
function mayBecome(before: ListedLog, logs: readonly ListedLog[]): boolean {
  const next = logs.find(({ log }) => log === before.log)
  if (!next) return false
  if (next.publicKeyB64u !== before.publicKeyB64u || next.series !== before.series) return false
  if (next.slot.bits !== before.slot.bits || next.slot.value !== before.slot.value) return false
  if (before.state === 'announced') return true
  if (next.state === 'announced' || (before.state === 'closed' && next.state !== 'closed')) return false
  if (next.openedAt !== before.openedAt || !isSameEnd(next.previous, before.previous)) return false
  return before.final === null || isSameEnd(next.final?.statement ?? null, before.final.statement)
}

type End = { readonly log: string; readonly size: number; readonly root: string } | null

export function isSameEnd(a: End, b: End): boolean {
  return a?.log === b?.log && a?.size === b?.size && a?.root === b?.root
}
