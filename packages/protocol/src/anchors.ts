/**
 * Anchors (document 1 section 2.9): roots that owners submit, in one log that never forgets the order. A submission is
 * a record of this service and no ledger write; `published` and `confirmed` are what the publisher reports of one.
 *
 * The log is a tree of RFC 9162 over SHA3-384. The documents' state proof is the tree of its newest leaves; beside it
 * stand inclusion and consistency proofs of the whole log under signed checkpoints.
 *
 * @module
 */
import * as z from 'zod'
import { encodeBase64url } from './base64url.ts'
import { governanceAttestationSchema, MAX_ATTESTATIONS, verifyAttestations } from './governance.ts'
import { fromHex, hashHex, hashSchema, toHex } from './hash.ts'
import { publicKeySchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'
import { HASH_ALG } from './labels.ts'
import { leafHash, merkleRoot, verifyInclusion } from './merkle.ts'
import { err, ok, type Result } from './result.ts'
import { signedSchema, statementNonceSchema, statementSchema, verifyStatement } from './statement.ts'

export const anchorIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32}$/, 'must be 32 base64url characters')
  .meta({ id: 'AnchorId', description: 'Names owner, root and epoch, so that the same submission is the same anchor' })

export const anchorEpochSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 . _ : -')
  .meta({ description: 'The owner’s name for what the root closes', example: '2026-11-21' })

const chainNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9:-]{0,63}$/, 'must be 1 to 64 lowercase letters, digits, : and -')
const transactionSchema = z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters')

/** What attestations of a submission are over (readings 21): JCS of this object, which names no owner and no time. */
export function submissionBytes(root: string, epoch: string): Uint8Array {
  return jcsBytes({ type: 'svc/anchor-submission/v1', root, epoch, hashAlg: HASH_ALG })
}

export const submitAnchorSchema = z
  .strictObject({
    root: hashSchema,
    epoch: anchorEpochSchema,
    hashAlg: z.literal(HASH_ALG).optional(),
    attestations: z.array(governanceAttestationSchema).min(1).max(MAX_ATTESTATIONS),
  })
  .meta({
    id: 'SubmitAnchor',
    description: 'Attested by the caller’s current root key, or by policy signers that reach the threshold',
  })

export const ANCHOR_STATUSES = ['submitted', 'published', 'confirmed'] as const
export type AnchorStatus = (typeof ANCHOR_STATUSES)[number]

/** The members that a leaf of the tree is made of. */
const leafMembers = {
  anchorId: anchorIdSchema,
  root: hashSchema,
  epoch: anchorEpochSchema,
  hashAlg: z.literal(HASH_ALG),
  createdAt: z.string().meta({ description: 'RFC 3339, when the service took it' }),
}
export const anchorLeafSchema = z.strictObject(leafMembers).meta({ id: 'AnchorLeaf' })
export type AnchorLeaf = z.infer<typeof anchorLeafSchema>

export const anchorRecordSchema = z
  .strictObject({
    ...leafMembers,
    attestations: z.array(governanceAttestationSchema),
    chains: z
      .array(z.strictObject({ chain: z.string(), tx: z.string().optional() }))
      .optional()
      .meta({ description: 'What the publisher has reported; nothing here vouches for a ledger' }),
    status: z.enum(ANCHOR_STATUSES).meta({
      description:
        '`submitted`: kept here and nowhere else. `published`: the publisher reports a transaction. `confirmed`: the ' +
        'publisher reports that it is final',
    }),
    owner: z.string().meta({ description: 'DID of the submitter' }),
    index: z.int().min(0).meta({ description: 'Position in the log' }),
  })
  .meta({ id: 'AnchorRecord', description: 'A submission. No evidence of a ledger write' })
export type AnchorRecord = z.infer<typeof anchorRecordSchema>

export const DEFAULT_PAGE_ANCHORS = 100
export const MAX_PAGE_ANCHORS = 500
/** A signature and its key take 7 kB, so a page leaves them out unless it is asked for them: 3.6 MB less at 500. */
export const anchorListItemSchema = anchorRecordSchema
  .partial({ attestations: true })
  .meta({ id: 'AnchorListItem', description: 'An anchor record; `attestations` only with `attestations=include`' })
export type AnchorListItem = z.infer<typeof anchorListItemSchema>
export const anchorListSchema = z
  .strictObject({
    items: z.array(anchorListItemSchema),
    count: z.int().meta({ description: 'Items in this page' }),
    cursor: z.string().nullable().meta({ description: 'Of the next page, older; null at the end' }),
  })
  .meta({ id: 'AnchorList', description: 'Newest first' })
export type AnchorList = z.infer<typeof anchorListSchema>

export const DEFAULT_WINDOW = 256
export const MAX_WINDOW = 2048
export const stateProofSchema = z
  .strictObject({
    window: z.int().min(1).max(MAX_WINDOW),
    count: z.int(),
    root: hashSchema,
    leaves: z.array(hashSchema).meta({ description: 'Leaf hashes of the newest anchors, oldest first' }),
    createdAt: z.string(),
    hashAlg: z.literal(HASH_ALG),
    anchors: z.array(anchorLeafSchema).meta({ description: 'What each leaf hashes, in the same order' }),
  })
  .meta({ id: 'StateProof', description: 'Every leaf of a window, so that the caller computes the root again' })
export type StateProof = z.infer<typeof stateProofSchema>

export const checkpointSchema = statementSchema('svc/anchor-checkpoint/v1', {
  log: z.string().meta({ description: 'Origin of the service that keeps the log' }),
  size: z.int().min(0),
  root: hashSchema,
}).meta({ id: 'Checkpoint', description: 'What the log was when it was signed' })
export const signedCheckpointSchema = z
  .strictObject({ ...signedSchema(checkpointSchema).shape, publicKeyB64u: publicKeySchema })
  .meta({ id: 'SignedCheckpoint', description: 'Signed by the log’s key, which it carries for the reader to compare' })
export type SignedCheckpoint = z.infer<typeof signedCheckpointSchema>

const hashes = z.array(hashSchema).max(64)
export const anchorBundleSchema = z
  .strictObject({
    format: z.literal('svc/anchor-bundle/v1'),
    record: anchorRecordSchema,
    proof: hashes.meta({ description: 'Audit path of the leaf, lowest sibling first (RFC 9162 section 2.1.3)' }),
    checkpoint: signedCheckpointSchema,
  })
  .meta({ id: 'AnchorBundle', description: 'Everything that verifying one anchor needs, without a network' })
export type AnchorBundle = z.infer<typeof anchorBundleSchema>

export const consistencySchema = z
  .strictObject({ first: z.int().min(1), second: z.int().min(1), proof: hashes })
  .meta({ id: 'ConsistencyProof', description: 'RFC 9162 section 2.1.4: the first tree is a prefix of the second' })

export const publicationSchema = statementSchema('svc/anchor-publication/v1', {
  anchorId: anchorIdSchema,
  chain: chainNameSchema,
  tx: transactionSchema,
  state: z.enum(['published', 'confirmed']),
  nonce: statementNonceSchema,
}).meta({ id: 'AnchorPublication', description: 'The publisher reports a transaction' })
export const signedPublicationSchema = signedSchema(publicationSchema).meta({ id: 'SignedAnchorPublication' })
export type SignedPublication = z.infer<typeof signedPublicationSchema>

export const ELIGIBILITY_REASONS = ['history_partial', 'no_blocks', 'head_anchored', 'security_hold'] as const
export const eligibilitySchema = z
  .strictObject({
    eligible: z.boolean(),
    reasons: z.array(z.enum(ELIGIBILITY_REASONS)).meta({ description: 'Why not; empty when eligible' }),
    root: hashSchema.nullable().meta({ description: 'What to anchor: the hash of the newest block' }),
    newBlocks: z.int().min(0).meta({ description: 'Blocks after the one that was anchored last' }),
    lastAnchor: z.strictObject({ anchorId: anchorIdSchema, root: hashSchema, createdAt: z.string() }).nullable(),
  })
  .meta({ id: 'AnchorEligibility' })
export type Eligibility = z.infer<typeof eligibilitySchema>

/** An anchor is named by what it says and by whom, so that a retry finds it. */
export function anchorIdOf(owner: string, root: string, epoch: string): string {
  const digest = hashHex(jcsBytes({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg: HASH_ALG }))
  return encodeBase64url(fromHex(digest).subarray(0, 24))
}

/** The data of a leaf is JCS of exactly these five members. */
export function anchorLeafHash({ anchorId, root, epoch, hashAlg, createdAt }: AnchorLeaf): Uint8Array {
  return leafHash(jcsBytes({ anchorId, root, epoch, hashAlg, createdAt }))
}

/** Whether a state proof is what it says: each leaf hashes its anchor, and the root is theirs. */
export function verifyStateProof({ leaves, anchors, root, count, window }: StateProof): boolean {
  if (leaves.length !== anchors.length || count !== leaves.length || count > window) return false
  const computed = anchors.map(anchorLeafHash)
  return computed.every((leaf, i) => toHex(leaf) === leaves[i]) && toHex(merkleRoot(computed)) === root
}

export type BundleFault = {
  readonly reason: 'wrong_log' | 'invalid_signature' | 'wrong_owner' | 'invalid_attestation' | 'not_included'
}

/**
 * Verifies an anchor without a network. `expectedLogKey` is the log's key, known from elsewhere. `status` and `chains`
 * are in no leaf: they stay the service's word.
 */
export async function verifyBundle(
  { record, proof, checkpoint }: AnchorBundle,
  expectedLogKeyB64u: string,
  expectedLogKey: Uint8Array,
): Promise<Result<void, BundleFault>> {
  if (checkpoint.publicKeyB64u !== expectedLogKeyB64u) return err({ reason: 'wrong_log' })
  if (!(await verifyStatement(checkpoint, expectedLogKey))) return err({ reason: 'invalid_signature' })
  // A leaf names the owner by the anchor's id alone, and whoever attested it not at all.
  if (record.anchorId !== anchorIdOf(record.owner, record.root, record.epoch)) return err({ reason: 'wrong_owner' })
  const attested = await verifyAttestations(record.attestations, submissionBytes(record.root, record.epoch))
  if (!attested.ok) return err({ reason: 'invalid_attestation' })
  const { size, root } = checkpoint.statement
  const included = verifyInclusion(anchorLeafHash(record), record.index, size, proof.map(fromHex), fromHex(root))
  return included ? ok(undefined) : err({ reason: 'not_included' })
}

export { verifyExtension } from './checkpoint.ts'
