/**
 * Commitments (document 2 section 2.2): the salted hash of something that its owner keeps. Whoever has neither salt nor
 * content learns nothing from it; whoever is shown both can tell that the owner had them when it was made.
 *
 * @module
 */
import * as z from 'zod'
import { fromHex, hashHex, hashSchema } from './hash.ts'
import { didSchema } from './identity.ts'
import { HASH_ALG } from './labels.ts'

export const SALT_BYTES = 32
/** 250 bytes each: 2.5 MB for one identity. */
export const MAX_COMMITMENTS = 10_000
const DOMAIN = 'svc/commitment/v1'

/** SHA3-384(UTF-8 "svc/commitment/v1" ‖ 0x00 ‖ salt ‖ SHA3-384(content)), lowercase hex. The salt has 32 random bytes. */
export function commitmentHash(salt: Uint8Array, content: Uint8Array): string {
  if (salt.length !== SALT_BYTES) throw new TypeError('commitmentHash: the salt has 32 bytes')
  const domain = new TextEncoder().encode(`${DOMAIN}\0`)
  const contentHash = fromHex(hashHex(content))
  const bytes = new Uint8Array(domain.length + salt.length + contentHash.length)
  bytes.set(domain)
  bytes.set(salt, domain.length)
  bytes.set(contentHash, domain.length + salt.length)
  return hashHex(bytes)
}

/** 128 bits of SHA3-384 over owner and hash: the same commitment of the same owner is one, that of another is another. */
export function commitmentIdOf(did: string, hash: string): string {
  return `commitment-${hashHex(new TextEncoder().encode(`svc/commitment-id/v1\0${did}\0${hash}`)).slice(0, 32)}`
}

export const createCommitmentSchema = z
  .strictObject({
    commitment_hash: hashSchema.meta({
      description: 'Salted, by the rule of `commitmentHash` or another of the owner’s',
    }),
    algorithm: z.literal(HASH_ALG).optional(),
  })
  .meta({ id: 'CreateCommitment', description: 'Closed: hints, commitments to hints and client times are refused' })

export const commitmentIdSchema = z
  .string()
  .regex(/^commitment-[0-9a-f]{32}$/, 'must be commitment- and 32 hex characters')

export const commitmentSchema = z
  .strictObject({
    id: commitmentIdSchema,
    commitment_hash: z.string().meta({ description: 'As it was made; 96 hex characters unless it is historical' }),
    algorithm: z
      .literal(HASH_ALG)
      .nullable()
      .meta({ description: 'null for a historical record under another label, which is no alias' }),
    did: didSchema.nullable().meta({ description: 'Who made it; null where a historical record names nobody' }),
    created_at_ms: z.int().meta({ description: 'When this service took it, epoch ms; its word' }),
    profile: z.enum(['native', 'historical']),
    verification: z.strictObject({
      verifiable: z.boolean().meta({ description: 'Whether salt and content can be checked against it by the rule' }),
      rule: z.string(),
      reason: z.string().nullable().meta({ description: 'Why it cannot be' }),
    }),
  })
  .meta({
    id: 'Commitment',
    description: 'Canonical metadata; a historical record shows the same members and no others',
  })
export type Commitment = z.infer<typeof commitmentSchema>
export const createdCommitmentSchema = commitmentSchema
  .extend({ duplicate: z.boolean() })
  .meta({ id: 'CreatedCommitment' })
export type CreatedCommitment = z.infer<typeof createdCommitmentSchema>
