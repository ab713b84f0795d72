import { capsuleHash } from '#protocol/provenance/capsules'
import { signedCapsuleSchema } from '#protocol/provenance/signed-capsule'
import { verifyCapsule } from '../provenance/verify-capsule.ts'
import { unverified } from '../verification/verification-error.ts'
import { formed } from './form.ts'
import { judgeProof } from './judge-proofs.ts'
import { absentAsNull, expectedRealms, type Means } from './means.ts'
import { type Check, checked, signerChecks, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

/**
 * A capsule without the bundle of its registration, as its signer or provenance has it. With the bundle that provenance
 * has for the same capsule it proves as much as that; otherwise who signed it.
 */
export async function judgeCapsule(value: unknown, means: Means): Promise<Verdict> {
  const { client, file, expectedDid } = means
  const realms = expectedRealms(means)
  const signed = formed(signedCapsuleSchema, value)
  const { did, assetId: subject, issuedAt: at } = signed.capsule
  if (!realms) return verdictOf('capsule', null, [unchecked('registration')], { needs: 'realm', subject })
  const expected = { realms, ...(expectedDid !== null && { expectedDid }), ...(file && { file }) }
  const alone = await verifyCapsule(signed, expected)
  const hash = claimedHash(value)
  if (hash !== null && hash !== capsuleHash(signed.capsule))
    throw unverified('capsule', 'capsule_hash', 'The record names another capsule', { evidence: value })
  const registered = client && (await absentAsNull(() => client.provenance.proof(subject, did)))
  if (registered?.capsuleHash === capsuleHash(signed.capsule))
    return { ...(await judgeProof(registered, means)), kind: 'capsule' }
  // Without a registration, nothing but a block may follow the capsule.
  const rootKeys = client ? await client.keyHistory.of(expectedDid ?? did) : []
  const { verified, signer, order } = client ? await verifyCapsule(signed, { ...expected, rootKeys }) : alone
  const isTheirs = verified.includes('key_of_did')
  const checks: Check[] = [
    ...verified.map((part) => checked('proof', { part })),
    ...(isTheirs ? [] : [unchecked(client ? 'device_key' : 'capsule_key')]),
    ...signerChecks({ signer, order }),
    unchecked('registration'),
    unchecked('gap', { gap: 'no_ledger_anchor' }),
    unchecked('gap', { gap: 'no_trusted_time' }),
  ]
  const needs = isTheirs || client ? null : 'key_history'
  return verdictOf('capsule', did, checks, { needs, subject, at, signer, order })
}

/** Of a record that provenance answered; null for a capsule as it was signed. */
function claimedHash(value: unknown): string | null {
  const isNamed = typeof value === 'object' && value !== null && 'capsuleHash' in value
  return isNamed && typeof value.capsuleHash === 'string' ? value.capsuleHash : null
}
