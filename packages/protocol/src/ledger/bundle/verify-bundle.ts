/**
 * Whether a bundle holds (workers/docs/pages/developer/anchors.md).
 *
 * @module
 */
import type { Realms } from '../../base/realm.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { entryHash } from '../../merkle/entries.ts'
import { type CheckpointFault, verifyInLog } from '../../merkle/in-log.ts'
import type { ListedLogs } from '../../merkle/log-list.ts'
import type { LogPosition } from '../../merkle/log-name.ts'
import { anchorEntry } from '../anchor-log.ts'
import { verifySubmission } from '../anchor-submission.ts'
import { anchorIdOf } from '../anchors.ts'
import type { AnchorBundle } from './anchor-bundle.ts'
import { type StatesFault, verifyStates } from './cosigned-states.ts'

export type LoggedFault =
  | CheckpointFault
  | { readonly reason: 'wrong_owner' | 'invalid_attestation' | 'not_in_log' | 'not_included' }

export type BundleFault = LoggedFault | StatesFault

/** What the caller must know independently: a log list that it has verified, or the key of the log. */
export type LogTrust = { readonly list: ListedLogs } | { readonly logKeyB64u: string }

/**
 * Verifies an anchor offline. A bundle that was made before its log was closed verifies against every later list. No leaf
 * covers `status` and `chains`: they remain unproven claims of the service. Each cosignature is verified with the key
 * that it names; the caller decides with `seenBy` which keys to trust.
 */
export async function verifyBundle(
  bundle: AnchorBundle,
  trust: LogTrust,
  realms: Realms,
): Promise<Result<void, BundleFault>> {
  const logged = await verifyLogged(bundle, trust, realms)
  return logged.ok
    ? verifyStates({ ...bundle.record, position: logged.value }, bundle, bundle.checkpoint, realms)
    : logged
}

/** Verifies the record and that its log has it, for every bundle format. Returns the position. */
export async function verifyLogged(
  { record, log, proof, checkpoint }: Pick<AnchorBundle, 'record' | 'log' | 'proof' | 'checkpoint'>,
  trust: LogTrust,
  realms: Realms,
): Promise<Result<LogPosition, LoggedFault>> {
  const { position } = record
  if (position === null) return err({ reason: 'not_in_log' })
  if ('logKeyB64u' in trust && log.publicKeyB64u !== trust.logKeyB64u) return err({ reason: 'wrong_log' })
  // Of a deployment’s own entry only the key counts here, which the caller knows.
  const list = 'list' in trust ? trust.list : { logs: [{ ...log, final: null }] }
  if (record.anchorId !== anchorIdOf(record.owner, record.root, record.epoch)) return err({ reason: 'wrong_owner' })
  const attested = await verifySubmission(record, realms)
  if (!attested.ok) return err({ reason: 'invalid_attestation' })
  const inLog = await verifyInLog(entryHash(anchorEntry(record)), { position, proof, checkpoint }, list, realms)
  return inLog.ok ? ok(position) : inLog
}
