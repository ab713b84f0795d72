/**
 * Governance (workers/docs/pages/developer/governance.md): which keys jointly decide for the deployment, and how one
 * policy replaces another. Each policy is authorized by the signers of its predecessor; the operator sets the first.
 *
 * @module
 */

import * as z from 'zod'
import { hashHex, hashSchema } from '../base/hash.ts'
import { publicKeySchema } from '../base/identity.ts'
import { type Json, jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { statementNonceSchema, statementSchema } from '../base/statement.ts'
import {
  type AttestationFault,
  type AttestedBytes,
  type BytesAt,
  type GovernanceAttestation,
  governanceAttestationSchema,
  verifyAttestations,
} from './attestations.ts'

/** A signer's key is 2.6 kB and an attestation 7 kB, so a publication with 16 of each stays below the body cap. */
export const MAX_SIGNERS = 16
/** A lone surrogate has no UTF-8 form, so text that contains one could not be signed. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')

/** Parsers and JCS recurse; without a limit, deeply nested brackets would exhaust the stack. */
const MAX_META_DEPTH = 32

/** Whether a signature can cover the value as sent: JCS accepts it, and no parser drops a member. */
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

/** Values that passed `refuseUnsignable`. Not `z.json()`: the OpenAPI generator would recurse forever. */
const anyJson = /* @__PURE__ */ z.unknown() as z.ZodType<Json>

export const governancePolicySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.literal('v1'),
      threshold: z
        .int()
        .meta({ description: 'Distinct signers required to authorize: at least 1, at most the number of signers' }),
      signers: z
        .array(z.strictObject({ id: text(128), publicKeyB64u: publicKeySchema, role: text(128).optional() }))
        .min(1)
        .max(MAX_SIGNERS),
      meta: z
        .preprocess(refuseUnsignable, z.record(text(128), anyJson))
        .optional()
        .meta({ description: 'Free-form JSON, at most 32 levels deep' }),
    })
    .meta({ id: 'GovernancePolicy' }),
)
export type GovernancePolicy = z.infer<typeof governancePolicySchema>

const placedPolicy = /* @__PURE__ */ pure(() => ({
  policy: governancePolicySchema,
  previousPolicyId: hashSchema.meta({ description: 'The only policy that this one can replace' }),
  nonce: statementNonceSchema.meta({ description: 'The same for all signers; part of `policyId`' }),
}))

/** What each signer of the previous policy signs. `issuedAt` is the `signedAt` of the attestation in epoch milliseconds. */
export const policyStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/governance-policy/v1', placedPolicy).meta({
    id: 'GovernancePolicyStatement',
  }),
)

export const policyProposalSchema = /* @__PURE__ */ z.strictObject(placedPolicy)

export const publishPolicySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...placedPolicy,
      attestations: z.array(governanceAttestationSchema).min(1).max(MAX_SIGNERS),
    })
    .meta({
      id: 'PublishPolicy',
      description: 'Attestations sign the statement `svc/governance-policy/v1`; each needs `signedAt`',
    }),
)

/** A policy at its place: after one predecessor, or as the first. */
export interface PlacedPolicy {
  readonly policy: GovernancePolicy
  /** Null for the first policy. */
  readonly previousPolicyId: string | null
  readonly nonce: string
}
/** A policy that the signers of its predecessor can authorize. */
export type PolicyProposal = PlacedPolicy & { readonly previousPolicyId: string }

export const policyRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      policyId: z.string().meta({
        description: 'SHA3-384 hex over JCS of `{type: "svc/policy-id/v1", policy, previousPolicyId, nonce}`',
      }),
      policy: governancePolicySchema,
      nonce: z.string(),
      attestations: z.array(governanceAttestationSchema),
      activatedAt: z.string().meta({ description: 'RFC 3339' }),
      activatedBy: z.string().meta({ description: 'DID of the publisher, or `operator:` and the userId of its key' }),
      previousPolicyId: z.string().optional(),
    })
    .meta({ id: 'GovernancePolicyRecord' }),
)
export type PolicyRecord = z.infer<typeof policyRecordSchema>

export const auditEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      position: z.int().min(1),
      at: z.string().meta({ description: 'RFC 3339' }),
      action: z.literal('policy.activated'),
      actor: z.string(),
      policyId: z.string(),
      previousPolicyId: z.string().optional(),
      signers: z.array(z.string()).meta({ description: 'Ids of the signers who authorized it' }),
    })
    .meta({ id: 'GovernanceAuditEntry' }),
)
export type AuditEntry = z.infer<typeof auditEntrySchema>

export const DEFAULT_PAGE_AUDIT = 50
export const MAX_PAGE_AUDIT = 200
export const auditPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ items: z.array(auditEntrySchema), count: z.int(), cursor: z.string().nullable() })
    .meta({ id: 'GovernanceAudit' }),
)

export type PolicyFault = { readonly reason: 'duplicate_signer' | 'threshold_out_of_range' }

/** The rule a policy violates regardless of who signs it, or null. */
export function policyFault({ threshold, signers }: GovernancePolicy): PolicyFault | null {
  const ids = new Set(signers.map(({ id }) => id))
  const keys = new Set(signers.map(({ publicKeyB64u }) => publicKeyB64u))
  if (ids.size !== signers.length || keys.size !== signers.length) return { reason: 'duplicate_signer' }
  return threshold < 1 || threshold > signers.length ? { reason: 'threshold_out_of_range' } : null
}

/**
 * Names a policy at its place, so that the same rules that come into force a second time are another policy: a draft
 * that names the first of them does not follow the second.
 */
export function policyIdOf({ policy, previousPolicyId, nonce }: PlacedPolicy): string {
  return hashHex(jcsBytes({ type: 'svc/policy-id/v1', policy, previousPolicyId, nonce }))
}

/** The bytes that a signer of the previous policy signs at a time. */
export function policyBytes({ policy, previousPolicyId, nonce }: PolicyProposal, realm: string): BytesAt {
  return (issuedAt) => jcsBytes({ type: 'svc/governance-policy/v1', realm, policy, previousPolicyId, nonce, issuedAt })
}

/** Verifies that enough distinct signers of the policy, and no one else, signed these bytes. Returns their ids. */
export async function authorizedBy(
  policy: GovernancePolicy,
  attestations: readonly GovernanceAttestation[],
  attested: AttestedBytes,
): Promise<Result<string[], AttestationFault>> {
  const signers = new Map(policy.signers.map(({ id, publicKeyB64u }) => [publicKeyB64u, id]))
  const keys = attestations.map(({ publicKeyB64u }) => publicKeyB64u)
  // Checks membership before any signature, so that outsiders cannot cause verification work.
  if (new Set(keys).size !== keys.length) return err({ reason: 'duplicate_signer' })
  if (!keys.every((key) => signers.has(key))) return err({ reason: 'unknown_signer' })
  if (keys.length < policy.threshold) return err({ reason: 'threshold_not_met' })
  const verified = await verifyAttestations(attestations, attested)
  return verified.ok ? ok(keys.map((key) => signers.get(key) ?? '')) : verified
}
