/**
 * Anchors in their log: the entry that is logged, and what proves it offline.
 *
 * An entry has two hashes, of the anchor and of its attestations, both with a salt: neither can be exchanged later, and an
 * entry tells nothing of an anchor whose record is gone. It can be rebuilt from the record.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema, toHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { err, type Result } from '../base/result.ts'
import { signedCheckpointSchema } from '../merkle/checkpoint.ts'
import { entryHash, readEntry } from '../merkle/entries.ts'
import { type CheckpointFault, verifyInLog } from '../merkle/in-log.ts'
import { type ListedLogs, listedLogSchema } from '../merkle/log-list.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { verifySubmission } from './anchor-submission.ts'
import {
  type AnchorEntry,
  type AnchorRecord,
  anchorBodyHash,
  anchorEntrySchema,
  anchorIdOf,
  anchorLine,
  anchorRecordSchema,
} from './anchors.ts'

export type LoggedAnchor = Omit<AnchorRecord, 'status' | 'chains' | 'position'>

/** Picks the members that a log commits to, from a record or from a body of the feed. */
export function loggedOf(anchor: LoggedAnchor): LoggedAnchor {
  const { anchorId, root, epoch, hashAlg, createdAt, owner, attestations, salt } = anchor
  return { anchorId, root, epoch, hashAlg, createdAt, owner, attestations, salt }
}

/** Hash of the attestations of an anchor, with its salt. */
export function anchorAttestationsHash({ salt, attestations }: Pick<LoggedAnchor, 'salt' | 'attestations'>): string {
  return hashHex(jcsBytes({ type: 'svc/anchor-attestations/v1', salt, attestations }))
}

/** The line that is logged. */
export function anchorEntry(anchor: LoggedAnchor): string {
  return anchorLine({ bodyHash: anchorBodyHash(anchor), attestationsHash: anchorAttestationsHash(anchor) })
}

/** The entry of an anchor in a line; null for a line of another kind. Throws if it is not of the form. */
export function anchorEntryOf(line: string): AnchorEntry | null {
  const { kind, value } = readEntry(line)
  return kind === 'anchor' ? anchorEntrySchema.parse(value) : null
}

/** Hash of the leaf of an anchor. */
export function anchorLeafOf(anchor: LoggedAnchor): string {
  return toHex(entryHash(anchorEntry(anchor)))
}

const hashes = /* @__PURE__ */ pure(() => z.array(hashSchema).max(64))
export const anchorBundleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/anchor-bundle/v1'),
      record: anchorRecordSchema,
      log: listedLogSchema.meta({
        description:
          'The log of `position`. Unsigned: compare it with the signed list, or its key with the one you know',
      }),
      proof: hashes.meta({ description: 'Audit path of the leaf, lowest sibling first (RFC 9162 section 2.1.3)' }),
      checkpoint: signedCheckpointSchema,
    })
    .meta({ id: 'AnchorBundle', description: 'Everything needed to verify one anchor offline' }),
)
export type AnchorBundle = z.infer<typeof anchorBundleSchema>

export const consistencySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ log: logNameSchema, first: z.int().min(1), second: z.int().min(1), proof: hashes }).meta({
    id: 'ConsistencyProof',
    description: 'Proves that the second tree of a log extends the first (RFC 9162 section 2.1.4)',
  }),
)

export type BundleFault =
  | CheckpointFault
  | { readonly reason: 'wrong_owner' | 'invalid_attestation' | 'not_in_log' | 'not_included' }

/** What the caller must know independently: a log list that it has verified, or the key of the log. */
export type LogTrust = { readonly list: ListedLogs } | { readonly logKeyB64u: string }

/**
 * Verifies an anchor offline. A bundle that was made before its log was closed verifies against every later list. No leaf
 * covers `status` and `chains`: they remain unproven claims of the service.
 */
export async function verifyBundle(
  { record, log, proof, checkpoint }: AnchorBundle,
  trust: LogTrust,
  realms: Realms,
): Promise<Result<void, BundleFault>> {
  const { position } = record
  if (position === null) return err({ reason: 'not_in_log' })
  if ('logKeyB64u' in trust && log.publicKeyB64u !== trust.logKeyB64u) return err({ reason: 'wrong_log' })
  // Of a deployment’s own entry only the key counts here, which the caller knows.
  const list = 'list' in trust ? trust.list : { logs: [{ ...log, final: null }] }
  if (record.anchorId !== anchorIdOf(record.owner, record.root, record.epoch)) return err({ reason: 'wrong_owner' })
  const attested = await verifySubmission(record, realms)
  if (!attested.ok) return err({ reason: 'invalid_attestation' })
  return verifyInLog(entryHash(anchorEntry(record)), { position, proof, checkpoint }, list, realms)
}

export { verifyExtension } from '../merkle/in-log.ts'
export { anchorBodyHash, anchorEntrySchema } from './anchors.ts'
