/**
 * Commitments (workers/docs/pages/developer/provenance.md): the salted hash of content the owner keeps. Without salt and
 * content it reveals nothing; given both, anyone can verify that the owner had them when the commitment was made.
 *
 * @module
 */
import * as z from 'zod'
import { fromHex, hashHex, hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { HASH_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'

export const SALT_BYTES = 32
/** 250 bytes each, so 2.5 MB per identity. */
export const MAX_COMMITMENTS = 10_000
const DOMAIN = 'svc/commitment/v1'

/** SHA3-384(UTF-8 "svc/commitment/v1" ‖ 0x00 ‖ salt ‖ SHA3-384(content)), lowercase hex. The salt is 32 random bytes. */
export function commitmentHash(salt: Uint8Array, content: Uint8Array): string {
  if (salt.length !== SALT_BYTES) throw new TypeError('commitmentHash: the salt must be 32 bytes')
  const domain = new TextEncoder().encode(`${DOMAIN}\0`)
  const contentHash = fromHex(hashHex(content))
  const bytes = new Uint8Array(domain.length + salt.length + contentHash.length)
  bytes.set(domain)
  bytes.set(salt, domain.length)
  bytes.set(contentHash, domain.length + salt.length)
  return hashHex(bytes)
}

/** 128 bits of SHA3-384 over owner and hash: idempotent for one owner, distinct between owners. */
export function commitmentIdOf(did: string, hash: string): string {
  return `commitment-${hashHex(new TextEncoder().encode(`svc/commitment-id/v1\0${did}\0${hash}`)).slice(0, 32)}`
}

export const createCommitmentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      commitment_hash: hashSchema.meta({
        description: 'Salted hash, computed as by `commitmentHash` or by a rule of the owner’s choice',
      }),
      algorithm: z.literal(HASH_ALG).optional(),
    })
    .meta({ id: 'CreateCommitment', description: 'Strict: hints, commitments to hints and client times are rejected' }),
)

/** Any name: a historical record keeps the id that it came with. */
export const commitmentIdSchema = /* @__PURE__ */ pure(() => z.string().min(1).max(256))

export const commitmentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: commitmentIdSchema.meta({
        description: '`commitment-` and 32 hex characters; a historical record keeps the id that it came with',
      }),
      commitment_hash: z.string().meta({ description: 'As created; 96 hex characters unless historical' }),
      algorithm: z
        .literal(HASH_ALG)
        .nullable()
        .meta({ description: 'Null for a historical record with another algorithm label' }),
      did: didSchema.nullable().meta({ description: 'The creator; null for a historical record without one' }),
      created_at_ms: z.int().meta({ description: 'When the service accepted it, epoch ms; asserted by the service' }),
      profile: z.enum(['native', 'historical']),
      verification: z.strictObject({
        verifiable: z.boolean().meta({ description: 'Whether salt and content can be verified against it by `rule`' }),
        rule: z.string(),
        reason: z.string().nullable().meta({ description: 'Why it cannot be verified' }),
      }),
    })
    .meta({
      id: 'Commitment',
      description: 'Canonical metadata; a historical record has exactly the same members',
    }),
)
export type Commitment = z.infer<typeof commitmentSchema>
export const createdCommitmentSchema = /* @__PURE__ */ pure(() =>
  commitmentSchema.extend({ duplicate: z.boolean() }).meta({ id: 'CreatedCommitment' }),
)
export type CreatedCommitment = z.infer<typeof createdCommitmentSchema>
