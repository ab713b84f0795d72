/** Shared by the tests of governance: policies, the operator’s act that sets the first one, and attestations. */
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import type { BytesAt, GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import {
  type AuditEntry,
  type GovernancePolicy,
  type PolicyProposal,
  policyBytes,
  policyIdOf,
} from '@svc/protocol/ledger/governance'
import { REALM, signerOf, type TestCaller, testIdentity } from '@svc/testing'
import { anonymous, call, send } from '../harness.ts'

export type Signer = TestCaller['identity']
type Send = (request: Request) => Promise<Response>

export const OPERATOR_SEED = new Uint8Array(32).fill(7)

/** Fresh keys. A signer of a policy needs no identity at core. */
export const freshSigners = (count: number): Promise<Signer[]> =>
  Promise.all(Array.from({ length: count }, () => testIdentity(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)))

/** A policy that requires all of its signers by default. */
export function policyOf(signers: readonly Signer[], members: Partial<GovernancePolicy> = {}): GovernancePolicy {
  return {
    version: 'v1',
    threshold: signers.length,
    signers: signers.map(({ publicKeyB64u }, i) => ({ id: `signer-${i}`, publicKeyB64u })),
    ...members,
  }
}

/** Signs bytes, or what carries the time at a fixed time. */
export async function attestedBy(signer: Signer, bytes: Uint8Array | BytesAt): Promise<GovernanceAttestation> {
  const publicKeyB64u = signer.publicKeyB64u
  if (bytes instanceof Uint8Array) {
    return { alg: 'ml-dsa-65', publicKeyB64u, signatureB64u: encodeBase64url(await signerOf(signer)(bytes)) }
  }
  const signatureB64u = encodeBase64url(await signerOf(signer)(bytes(Date.parse(SIGNED_AT))))
  return { alg: 'ml-dsa-65', publicKeyB64u, signatureB64u, signedAt: SIGNED_AT }
}
const SIGNED_AT = '2026-10-23T10:00:00Z'

const currentId = () =>
  env.CONTROL_DB.prepare('SELECT policy_id FROM governance_policies ORDER BY position DESC LIMIT 1').first<string>(
    'policy_id',
  )

/** A policy that follows the current one, or the one that `members` name. */
export async function proposalOf(
  policy: GovernancePolicy,
  members: Partial<PolicyProposal> = {},
): Promise<PolicyProposal> {
  const previousPolicyId = (await currentId()) ?? '00'.repeat(48)
  return { policy, previousPolicyId, nonce: crypto.randomUUID(), ...members }
}

/** The attestations of a proposal by these signers. */
export const attestedProposal = (
  proposal: PolicyProposal,
  signers: readonly Signer[],
  realm = REALM,
): Promise<GovernanceAttestation[]> =>
  Promise.all(signers.map((signer) => attestedBy(signer, policyBytes(proposal, realm))))

/** The operator's act that sets a first policy; `members` override those of a valid statement. */
export function firstPolicyAct(policy: GovernancePolicy, members: object = {}, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-governance-policy/v1' as const,
    realm: REALM,
    service: 'core',
    policy,
    previousPolicyId: null,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export const sendAct = (act: unknown) => anonymous('POST', '/api/operator/acts', act)

/** Sets the first policy and returns its id; throws if there is one. */
export async function found(policy: GovernancePolicy): Promise<string> {
  const act = await firstPolicyAct(policy)
  const { status } = await sendAct(act)
  if (status !== 200) throw new Error(`the operator’s act was answered with ${status}`)
  return policyIdOf(act.statement)
}

/** Publishes a proposal, or a policy after the current one, with the attestations of these signers, sent by any caller. */
export async function publish(
  caller: TestCaller,
  next: GovernancePolicy | PolicyProposal,
  signers: readonly Signer[],
  fetch: Send = send,
) {
  const proposal = 'policy' in next ? next : await proposalOf(next)
  const attestations = await attestedProposal(proposal, signers)
  return call(caller, 'POST', '/api/governance/policy', { ...proposal, attestations }, fetch)
}

/** The whole audit trail, read through the SDK. */
export async function trailOf({ client }: TestCaller): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of client.governance.audit()) entries.push(entry)
  return entries
}

/** Returns the deployment to the state before its first policy. */
export const forgetPolicies = () => env.CONTROL_DB.exec('DELETE FROM governance_policies')
