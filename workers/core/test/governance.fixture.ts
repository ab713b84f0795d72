/** What the tests of governance share: policies, the operator's act that founds the first, and attestations. */
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import {
  type AuditEntry,
  type GovernanceAttestation,
  type GovernancePolicy,
  policyBytes,
} from '@svc/protocol/governance'
import { signStatement } from '@svc/protocol/statement'
import { type TestCaller, testIdentity } from '@svc/testing'
import { anonymous, call, send } from './harness.ts'

export type Signer = TestCaller['identity']
type Send = (request: Request) => Promise<Response>

export const OPERATOR_SEED = new Uint8Array(32).fill(7)

/** Keys that nobody else in this run has. A signer of a policy needs no identity at core. */
export const freshSigners = (count: number): Promise<Signer[]> =>
  Promise.all(Array.from({ length: count }, () => testIdentity(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)))

/** A policy that all of its signers must sign for, unless told. */
export function policyOf(signers: readonly Signer[], members: Partial<GovernancePolicy> = {}): GovernancePolicy {
  return {
    version: 'v1',
    threshold: signers.length,
    signers: signers.map(({ publicKeyB64u }, i) => ({ id: `signer-${i}`, publicKeyB64u })),
    ...members,
  }
}

export async function attestedBy(signer: Signer, bytes: Uint8Array): Promise<GovernanceAttestation> {
  const signatureB64u = encodeBase64url(await signer.sign(bytes))
  return { alg: 'ml-dsa-65', publicKeyB64u: signer.publicKeyB64u, signatureB64u }
}

/** What the signers sign for a policy. */
export const attestedPolicy = (
  policy: GovernancePolicy,
  signers: readonly Signer[],
): Promise<GovernanceAttestation[]> => Promise.all(signers.map((signer) => attestedBy(signer, policyBytes(policy))))

/** The operator's act that sets a first policy; members override what a good statement would say. */
export function firstPolicyAct(policy: GovernancePolicy, members: object = {}, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-governance-policy/v1' as const,
    policy,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export const sendAct = (act: unknown) => anonymous('POST', '/api/operator/acts', act)

/** Sets the first policy; throws where there is one. */
export async function found(policy: GovernancePolicy): Promise<GovernancePolicy> {
  const { status } = await sendAct(await firstPolicyAct(policy))
  if (status !== 200) throw new Error(`the operator’s act was answered with ${status}`)
  return policy
}

/** Publishes a policy with what these signers sign, sent by whoever calls. */
export async function publish(
  caller: TestCaller,
  policy: GovernancePolicy,
  signers: readonly Signer[],
  fetch: Send = send,
) {
  const attestations = await attestedPolicy(policy, signers)
  return call(caller, 'POST', '/api/governance/policy', { policy, attestations }, fetch)
}

/** The whole audit trail, as the SDK reads it. */
export async function trailOf({ client }: TestCaller): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of client.governance.audit()) entries.push(entry)
  return entries
}

/** As a deployment is before its first policy. */
export const forgetPolicies = () => env.DB.exec('DELETE FROM governance_policies')
