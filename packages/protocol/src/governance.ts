/**
 * Governance (document 1 section 2.7): which keys decide together for the deployment, and how a policy follows
 * another. Each policy is authorized by the signers of the one before it; the first is an act of the operator.
 *
 * @module
 */
import { mlDsa65 } from '@svc/pqc'
import * as z from 'zod'
import { decodeBase64url } from './base64url.ts'
import { hashHex } from './hash.ts'
import { publicKeySchema, userIdOfKey } from './identity.ts'
import { type Json, jcsBytes } from './jcs.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_ALG, SIGNATURE_BYTES } from './labels.ts'
import { err, ok, type Result } from './result.ts'

/** Every signer's key takes 2.6 kB and every attestation 7 kB: with 16 of each a publication stays below the body cap. */
export const MAX_SIGNERS = 16
export const MAX_ATTESTATIONS = 64

/** Well-formed text: a lone surrogate has no UTF-8 form, so nothing could be signed over it. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')

/** Parsers and JCS recurse: without a bound a body of brackets would exhaust the stack. */
const MAX_META_DEPTH = 32

/** Whether a signature can cover the value as it was sent: JCS takes it, and no parser drops a member of it. */
function isSignable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'boolean'
  if (value === null) return true
  return (
    depth > 0 &&
    Object.entries(value).every(
      ([name, member]) => name !== '__proto__' && name.isWellFormed() && isSignable(member, depth - 1),
    )
  )
}

function refuseUnsignable(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isSignable(value, MAX_META_DEPTH)) {
    const message = 'must be JSON of well-formed Unicode, at most 32 levels deep, without __proto__'
    context.addIssue({ code: 'custom', message })
  }
  return value
}

/** What `refuseUnsignable` has let through. Not `z.json()`: the OpenAPI generator would follow its recursion for ever. */
const anyJson = z.unknown() as z.ZodType<Json>

export const governancePolicySchema = z
  .strictObject({
    version: z.literal('v1'),
    threshold: z.int().meta({ description: 'How many distinct signers authorize: at least 1, at most all of them' }),
    signers: z
      .array(z.strictObject({ id: text(128), publicKeyB64u: publicKeySchema, role: text(128).optional() }))
      .min(1)
      .max(MAX_SIGNERS),
    meta: z
      .preprocess(refuseUnsignable, z.record(text(128), anyJson))
      .optional()
      .meta({ description: 'Free, at most 32 levels deep' }),
  })
  .meta({ id: 'GovernancePolicy' })
export type GovernancePolicy = z.infer<typeof governancePolicySchema>

/** Lengths and characters as document 1 section 2.7 has them; whether they are a key and a signature is checked apart. */
export const governanceAttestationSchema = z
  .strictObject({
    alg: z.literal(SIGNATURE_ALG),
    publicKeyB64u: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding'),
    signatureB64u: z
      .string()
      .min(1)
      .max(8192)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding'),
    signedAt: z.iso
      .datetime({ offset: true, error: 'must be an RFC 3339 date-time' })
      .max(64)
      .optional()
      .meta({ description: 'The signer’s claim' }),
  })
  .meta({ id: 'GovernanceAttestation', description: 'One signature and the key that made it' })
export type GovernanceAttestation = z.infer<typeof governanceAttestationSchema>

export const publishPolicySchema = z
  .strictObject({
    policy: governancePolicySchema,
    attestations: z.array(governanceAttestationSchema).min(1).max(MAX_SIGNERS),
  })
  .meta({ id: 'PublishPolicy', description: 'Attestations are over the JCS bytes of `policy`' })

export const policyRecordSchema = z
  .strictObject({
    policyId: z.string().meta({ description: 'SHA3-384 hex over the JCS bytes of the policy' }),
    policy: governancePolicySchema,
    attestations: z.array(governanceAttestationSchema),
    activatedAt: z.string().meta({ description: 'RFC 3339' }),
    activatedBy: z.string().meta({ description: 'DID of the publisher, or `operator:` and the userId of its key' }),
    previousPolicyId: z.string().optional(),
  })
  .meta({ id: 'GovernancePolicyRecord' })
export type PolicyRecord = z.infer<typeof policyRecordSchema>

export const auditEntrySchema = z
  .strictObject({
    position: z.int().min(1),
    at: z.string().meta({ description: 'RFC 3339' }),
    action: z.literal('policy.activated'),
    actor: z.string(),
    policyId: z.string(),
    previousPolicyId: z.string().optional(),
    signers: z.array(z.string()).meta({ description: 'Ids of the signers who authorized it' }),
  })
  .meta({ id: 'GovernanceAuditEntry' })
export type AuditEntry = z.infer<typeof auditEntrySchema>

export const DEFAULT_PAGE_AUDIT = 50
export const MAX_PAGE_AUDIT = 200
export const auditPageSchema = z
  .strictObject({ items: z.array(auditEntrySchema), count: z.int(), cursor: z.string().nullable() })
  .meta({ id: 'GovernanceAudit' })

export type PolicyFault = { readonly reason: 'duplicate_signer' | 'threshold_out_of_range' }

/** What no policy may be, whoever signs it. */
export function policyFault({ threshold, signers }: GovernancePolicy): PolicyFault | null {
  const ids = new Set(signers.map(({ id }) => id))
  const keys = new Set(signers.map(({ publicKeyB64u }) => publicKeyB64u))
  if (ids.size !== signers.length || keys.size !== signers.length) return { reason: 'duplicate_signer' }
  return threshold < 1 || threshold > signers.length ? { reason: 'threshold_out_of_range' } : null
}

export function policyIdOf(policy: GovernancePolicy): string {
  return hashHex(policyBytes(policy))
}

/** What the signers of a policy's predecessor sign. */
export function policyBytes(policy: GovernancePolicy): Uint8Array {
  return jcsBytes(policy)
}

export type AttestationFault = {
  readonly reason: 'duplicate_signer' | 'unknown_signer' | 'invalid_signature' | 'threshold_not_met'
}

/** The userIds whose signatures over these bytes are good; each key may sign once. */
export async function verifyAttestations(
  attestations: readonly GovernanceAttestation[],
  bytes: Uint8Array,
): Promise<Result<string[], AttestationFault>> {
  const signers = new Set<string>()
  for (const { publicKeyB64u, signatureB64u } of attestations) {
    const publicKey = decodeBase64url(publicKeyB64u)
    const signature = decodeBase64url(signatureB64u)
    if (publicKey?.length !== PUBLIC_KEY_BYTES || signature?.length !== SIGNATURE_BYTES)
      return err({ reason: 'invalid_signature' })
    const userId = userIdOfKey(publicKeyB64u)
    if (signers.has(userId)) return err({ reason: 'duplicate_signer' })
    signers.add(userId)
    if (!(await mlDsa65.verify(publicKey, bytes, signature))) return err({ reason: 'invalid_signature' })
  }
  return ok([...signers])
}

/** Whether distinct signers of a policy, and nobody else, have signed these bytes often enough; gives their ids. */
export async function authorizedBy(
  policy: GovernancePolicy,
  attestations: readonly GovernanceAttestation[],
  bytes: Uint8Array,
): Promise<Result<string[], AttestationFault>> {
  const signers = new Map(policy.signers.map(({ id, publicKeyB64u }) => [publicKeyB64u, id]))
  const keys = attestations.map(({ publicKeyB64u }) => publicKeyB64u)
  // Who they are is known before anything is verified, so that outsiders cost no signature check.
  if (new Set(keys).size !== keys.length) return err({ reason: 'duplicate_signer' })
  if (!keys.every((key) => signers.has(key))) return err({ reason: 'unknown_signer' })
  if (keys.length < policy.threshold) return err({ reason: 'threshold_not_met' })
  const verified = await verifyAttestations(attestations, bytes)
  return verified.ok ? ok(keys.map((key) => signers.get(key) ?? '')) : verified
}
