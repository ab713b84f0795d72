/**
 * Anchors (workers/docs/pages/developer/anchors.md): roots submitted by owners, kept in append-only logs, one per
 * period. A submission is a record of this service, not a ledger write; `published` and `confirmed` are reports by the
 * publisher.
 *
 * A log is an RFC 9162 tree over SHA3-384: inclusion and consistency proofs cover it under signed checkpoints
 * (`ledger/anchor-log`). A state proof is a tree of its own over the newest anchors, whichever log they are in.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, encodeBase64url } from '../base/base64url.ts'
import { fromHex, hashHex, hashSchema, toHex } from '../base/hash.ts'
import { jcs, jcsBytes } from '../base/jcs.ts'
import { HASH_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema, statementSchema } from '../base/statement.ts'
import { cursorSchema } from '../merkle/cursor.ts'
import { entryHash } from '../merkle/entries.ts'
import { positionSchema } from '../merkle/log-name.ts'
import { merkleRoot } from '../merkle/tree.ts'
import { governanceAttestationSchema } from './attestations.ts'
import { withheldNoticeSchema } from './withheld-notice.ts'

export const anchorIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{32}$/, 'must be 32 base64url characters')
    .meta({ id: 'AnchorId', description: 'Derived from owner, root and epoch, so that submissions are idempotent' }),
)

export const anchorEpochSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 . _ : -')
    .meta({ description: 'Chosen by the owner to label what the root covers', example: '2026-11-21' }),
)

const chainNameSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^[a-z0-9][a-z0-9:-]{0,63}$/, 'must be 1 to 64 lowercase letters, digits, : and -'),
)
const transactionSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
)

export const ANCHOR_STATUSES = ['submitted', 'published', 'confirmed'] as const
export const anchorStatusSchema = /* @__PURE__ */ z.enum(ANCHOR_STATUSES)
export type AnchorStatus = z.infer<typeof anchorStatusSchema>

/** Bytes of the salt of an anchor. */
export const ANCHOR_SALT_BYTES = 16

const attestationsHashSchema = /* @__PURE__ */ pure(() =>
  hashSchema.meta({
    description: 'SHA3-384 over JCS of `{type: "svc/anchor-attestations/v1", salt, attestations}`',
  }),
)
export const anchorEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.literal('anchor'),
      bodyHash: hashSchema.meta({
        description:
          'SHA3-384 over JCS of `{type: "svc/anchor-body/v1", salt, anchorId, root, epoch, hashAlg, createdAt, owner}`',
      }),
      attestationsHash: attestationsHashSchema,
    })
    .meta({ id: 'AnchorEntry', description: 'One line of the log' }),
)
export type AnchorEntry = z.infer<typeof anchorEntrySchema>

const anchorMembers = /* @__PURE__ */ pure(() => ({
  anchorId: anchorIdSchema,
  root: hashSchema,
  epoch: anchorEpochSchema,
  hashAlg: z.literal(HASH_ALG),
  createdAt: z.string().meta({
    description: 'RFC 3339 time at which the service accepted it. A later position may have an earlier time',
  }),
  owner: z.string().meta({ description: 'DID of the submitter' }),
  salt: base64urlOf(ANCHOR_SALT_BYTES).meta({
    description: 'Random, drawn by the service when it accepted the anchor. Part of what the log commits to',
  }),
}))
export const anchorLeafSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...anchorMembers, attestationsHash: attestationsHashSchema }).meta({
    id: 'AnchorLeaf',
    description: 'What a leaf commits to, with the hash of the attestations in their place',
  }),
)
export type AnchorLeaf = z.infer<typeof anchorLeafSchema>

export const anchorRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...anchorMembers,
      attestations: z.array(governanceAttestationSchema),
      chains: z
        .array(z.strictObject({ chain: z.string(), tx: z.string().optional() }))
        .optional()
        .meta({ description: 'As reported by the publisher; not evidence of a ledger write' }),
      status: anchorStatusSchema.meta({
        description:
          '`submitted`: stored only here. `published`: the publisher reports a transaction. `confirmed`: the ' +
          'publisher reports that it is final',
      }),
      position: positionSchema,
    })
    .meta({ id: 'AnchorRecord', description: 'A submission. Not evidence of a ledger write' }),
)
export type AnchorRecord = z.infer<typeof anchorRecordSchema>

export const DEFAULT_PAGE_ANCHORS = 100
export const MAX_PAGE_ANCHORS = 500
/** Of a page as it is sent. A record with one attestation takes 7.6 kB, so this is some 137 of them. */
export const MAX_PAGE_ANCHOR_BYTES = 1_048_576
export const anchorListItemSchema = /* @__PURE__ */ pure(() =>
  anchorRecordSchema.partial({ attestations: true, salt: true }).meta({
    id: 'AnchorListItem',
    description: 'An anchor record; without `attestations` and `salt` if you ask for `omit`',
  }),
)
export type AnchorListItem = z.infer<typeof anchorListItemSchema>
export const anchorListSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      items: z.array(anchorListItemSchema),
      count: z.int().meta({ description: 'Items in this page; may be fewer than `limit` before the last page' }),
      cursor: cursorSchema.nullable().meta({ description: 'Cursor of the next, older page; null at the end' }),
    })
    .meta({ id: 'AnchorList', description: 'Newest first' }),
)
export type AnchorList = z.infer<typeof anchorListSchema>

export const DEFAULT_WINDOW = 256
export const MAX_WINDOW = 2048
export const stateProofSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      window: z.int().min(1).max(MAX_WINDOW),
      count: z.int(),
      root: hashSchema,
      leaves: z.array(hashSchema).meta({
        description: 'Hashes of the leaves that the logs have of the newest anchors, oldest first',
      }),
      createdAt: z.string(),
      hashAlg: z.literal(HASH_ALG),
      anchors: z
        .array(anchorLeafSchema)
        .meta({ description: 'The data behind each leaf that is not withheld, in the same order' }),
      withheld: z.array(withheldNoticeSchema).meta({ description: 'The leaves without data, in the same order' }),
    })
    .meta({
      id: 'StateProof',
      description: 'Every leaf of a window over all logs, so that the caller can recompute its root',
    }),
)
export type StateProof = z.infer<typeof stateProofSchema>

export const publicationSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/anchor-publication/v2', {
    leaf: hashSchema.meta({
      description: 'Hash of the leaf of the anchor, which tells nothing of it once its body is withheld',
    }),
    chain: chainNameSchema,
    tx: transactionSchema,
    state: z.enum(['published', 'confirmed']),
    nonce: statementNonceSchema,
  }).meta({ id: 'AnchorPublication', description: 'The publisher reports a transaction' }),
)
export const signedPublicationSchema = /* @__PURE__ */ pure(() =>
  signedSchema(publicationSchema).meta({ id: 'SignedAnchorPublication' }),
)
export type SignedPublication = z.infer<typeof signedPublicationSchema>

export const ELIGIBILITY_REASONS = ['history_partial', 'no_blocks', 'head_anchored', 'security_hold'] as const
export const eligibilitySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      eligible: z.boolean(),
      reasons: z.array(z.enum(ELIGIBILITY_REASONS)).meta({ description: 'Why it is not eligible; empty if it is' }),
      root: hashSchema.nullable().meta({ description: 'The root to anchor: hash of the newest block' }),
      newBlocks: z.int().min(0).meta({ description: 'Blocks since the last anchored one' }),
      lastAnchor: z.strictObject({ anchorId: anchorIdSchema, root: hashSchema, createdAt: z.string() }).nullable(),
    })
    .meta({ id: 'AnchorEligibility' }),
)
export type Eligibility = z.infer<typeof eligibilitySchema>

/** Derives an anchor's id from its content and owner, so that a retry finds the existing anchor. */
export function anchorIdOf(owner: string, root: string, epoch: string): string {
  const digest = hashHex(jcsBytes({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg: HASH_ALG }))
  return encodeBase64url(fromHex(digest).subarray(0, 24))
}

/** Hash of an anchor with its salt: without the salt nobody can recompute it. */
export function anchorBodyHash(anchor: Omit<AnchorLeaf, 'attestationsHash'>): string {
  const { salt, anchorId, root, epoch, hashAlg, createdAt, owner } = anchor
  return hashHex(jcsBytes({ type: 'svc/anchor-body/v1', salt, anchorId, root, epoch, hashAlg, createdAt, owner }))
}

/** The entry of an anchor in its log. */
export function anchorLine({ bodyHash, attestationsHash }: Omit<AnchorEntry, 'kind'>): string {
  return jcs({ kind: 'anchor', bodyHash, attestationsHash })
}

/** The leaf of an anchor: that of its log, and of a state proof. */
export function anchorLeafHash(anchor: AnchorLeaf): Uint8Array {
  const { attestationsHash } = anchor
  return entryHash(anchorLine({ bodyHash: anchorBodyHash(anchor), attestationsHash }))
}

/**
 * Whether a state proof is consistent: each leaf is that of its anchor or is said to be withheld, and the root follows from
 * the leaves. That a leaf was withheld is proved by the log, at the position of the act.
 */
export function verifyStateProof({ leaves, anchors, withheld, root, count, window }: StateProof): boolean {
  if (leaves.length !== anchors.length + withheld.length || count !== leaves.length || count > window) return false
  const shown = anchors.map((anchor) => toHex(anchorLeafHash(anchor)))
  const [nextShown, nextWithheld] = [shown.values(), withheld.values()]
  let [anchor, notice] = [nextShown.next().value, nextWithheld.next().value]
  for (const leaf of leaves) {
    if (leaf === anchor) anchor = nextShown.next().value
    else if (leaf === notice?.leaf) notice = nextWithheld.next().value
    else return false
  }
  return toHex(merkleRoot(leaves.map(fromHex))) === root
}

export { checkpointSchema, type SignedCheckpoint, signedCheckpointSchema } from '../merkle/checkpoint.ts'
