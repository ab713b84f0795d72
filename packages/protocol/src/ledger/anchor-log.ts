/**
 * Anchors in their log: the entry that is logged, and what proves it offline.
 *
 * An entry commits to the anchor and to what is stored beside it, so that neither owner nor attestations can be exchanged
 * later. It can be rebuilt from the record.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema } from '../base/hash.ts'
import { jcs, jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { err, type Result } from '../base/result.ts'
import { signedCheckpointSchema } from '../merkle/checkpoint.ts'
import { entryHash, readEntry } from '../merkle/entries.ts'
import { type CheckpointFault, verifyInLog } from '../merkle/in-log.ts'
import { type ListedLogs, listedLogSchema } from '../merkle/log-list.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { verifySubmission } from './anchor-submission.ts'
import { type AnchorRecord, anchorIdOf, anchorLeafMembers, anchorRecordSchema } from './anchors.ts'

/** Hash of what is stored beside the entry and never changes: owner and attestations, as in the record. */
export function anchorBodyHash({ owner, attestations }: Pick<AnchorRecord, 'owner' | 'attestations'>): string {
  return hashHex(jcsBytes({ type: 'svc/anchor-body/v1', owner, attestations }))
}

export const anchorEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.literal('anchor'),
      ...anchorLeafMembers,
      bodyHash: hashSchema.meta({
        description: 'SHA3-384 over JCS of `{type: "svc/anchor-body/v1", owner, attestations}`',
      }),
    })
    .meta({ id: 'AnchorEntry', description: 'One line of the log' }),
)

export type LoggedAnchor = Omit<AnchorRecord, 'status' | 'chains' | 'position'>

/** The line that is logged: JCS of the five members of a leaf, `kind` and the hash of the body. */
export function anchorEntry({ anchorId, root, epoch, hashAlg, createdAt, ...body }: LoggedAnchor): string {
  return jcs({ kind: 'anchor', anchorId, root, epoch, hashAlg, createdAt, bodyHash: anchorBodyHash(body) })
}

/** The id of the anchor that a line logs; null for a line that opens or closes the log. */
export function anchorIdOfLine(line: string): string | null {
  const { kind, value } = readEntry(line)
  return kind === 'anchor' ? anchorEntrySchema.parse(value).anchorId : null
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

export { verifyExtension } from '../merkle/checkpoint.ts'
