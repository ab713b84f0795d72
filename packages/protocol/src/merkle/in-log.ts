/**
 * Proofs across the periods of a log. A leaf is in the log that its position names; the log list gives that log's key.
 * What was proved before a roll stays proved after it, because closed logs stay listed.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { fromHex } from '../base/hash.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import { CHECKPOINT_TYPES, type LogCheckpoint } from './checkpoint.ts'
import { closeEntrySchema, openEntrySchema, readEntry } from './entries.ts'
import { type ListedLog, type ListedLogs, listedLog } from './log-list.ts'
import { isSameEnd } from './log-list-chain.ts'
import type { LogEnd, LogPosition } from './log-name.ts'
import { verifyConsistency, verifyInclusion } from './tree.ts'

export type CheckpointFault = {
  readonly reason: /** The log list does not have the log. */
    | 'unlisted_log'
    /** For another log or series, or by a key that the list does not give for the log. */
    | 'wrong_log'
    | 'invalid_signature'
    /** The list says that the log ended before this, or with another root. */
    | 'beyond_final'
}

/** Whether a checkpoint is one of a listed log: signed by the log's key, and not past the log's end. */
export async function verifyListedCheckpoint(
  { statement, signatureB64u, publicKeyB64u }: LogCheckpoint,
  list: ListedLogs,
  realms: Realms,
): Promise<Result<ListedLog, CheckpointFault>> {
  const listed = listedLog(list, statement.log)
  if (!listed) return err({ reason: 'unlisted_log' })
  if (publicKeyB64u !== listed.publicKeyB64u || statement.type !== CHECKPOINT_TYPES[listed.series]) {
    return err({ reason: 'wrong_log' })
  }
  if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(publicKeyB64u), realms))) {
    return err({ reason: 'invalid_signature' })
  }
  const end = listed.final?.statement
  const isBeyond = end && (statement.size > end.size || (statement.size === end.size && statement.root !== end.root))
  return isBeyond ? err({ reason: 'beyond_final' }) : ok(listed)
}

export interface LogProof {
  readonly position: LogPosition
  /** Audit path, lowest sibling first (RFC 9162 section 2.1.3). */
  readonly proof: readonly string[]
  readonly checkpoint: LogCheckpoint
}

/** Whether a leaf is where its position says, in a listed log. */
export async function verifyInLog(
  leaf: Uint8Array,
  { position, proof, checkpoint }: LogProof,
  list: ListedLogs,
  realms: Realms,
): Promise<Result<void, CheckpointFault | { readonly reason: 'not_included' }>> {
  if (checkpoint.statement.log !== position.log) return err({ reason: 'wrong_log' })
  const listed = await verifyListedCheckpoint(checkpoint, list, realms)
  if (!listed.ok) return listed
  const { size, root } = checkpoint.statement
  const isIncluded = verifyInclusion(leaf, position.index, size, proof.map(fromHex), fromHex(root))
  return isIncluded ? ok(undefined) : err({ reason: 'not_included' })
}

export type RollFault = {
  readonly reason:
    | 'unlisted_log'
    /** The closed log that was read is not what its final checkpoint says. */
    | 'wrong_final'
    /** The last leaf does not close the log, or names another next log than the one that continues it. */
    | 'missing_close'
    /** Leaf 0 of the next log does not open it on the end of the one before. */
    | 'wrong_open'
}

/** Whether leaf 0 opens the log as the list says. */
export function verifyOpening(log: string, firstLine: string, list: ListedLogs): Result<void, RollFault> {
  const listed = listedLog(list, log)
  if (!listed) return err({ reason: 'unlisted_log' })
  const open = openEntrySchema.safeParse(readEntry(firstLine).value)
  const isOpening = open.success && open.data.log === log && isSameEnd(open.data.previous, listed.previous)
  return isOpening ? ok(undefined) : err({ reason: 'wrong_open' })
}

/**
 * How a log that was read to its end goes on: null while it is open, the next log if it was rolled. `end` is what the
 * reader computed from the entries.
 */
export function verifyEnd(
  end: LogEnd,
  lastLine: string,
  list: ListedLogs,
): Result<{ readonly next: ListedLog | null }, RollFault> {
  const listed = listedLog(list, end.log)
  if (!listed) return err({ reason: 'unlisted_log' })
  if (!listed.final) return ok({ next: null })
  if (!isSameEnd(listed.final.statement, end)) return err({ reason: 'wrong_final' })
  const close = closeEntrySchema.safeParse(readEntry(lastLine).value)
  if (!close.success) return err({ reason: 'missing_close' })
  const after = list.logs.find(({ previous }) => previous?.log === end.log) ?? null
  if (!after) return ok({ next: null })
  return close.data.next === after.log ? ok({ next: after }) : err({ reason: 'missing_close' })
}

/**
 * Whether a later checkpoint extends an earlier one of the same log: nothing in between was dropped or reordered. The
 * caller has verified both signatures; `logKeyB64u` is the log's key from the log list.
 */
export function verifyExtension(
  first: LogCheckpoint,
  second: LogCheckpoint,
  proof: readonly string[],
  logKeyB64u: string,
): boolean {
  const [a, b] = [first.statement, second.statement]
  if (a.type !== b.type || a.log !== b.log) return false
  if (first.publicKeyB64u !== logKeyB64u || second.publicKeyB64u !== logKeyB64u) return false
  // The empty log is a prefix of every log.
  if (a.size === 0) return proof.length === 0
  return verifyConsistency(a.size, fromHex(a.root), b.size, fromHex(b.root), proof.map(fromHex))
}
