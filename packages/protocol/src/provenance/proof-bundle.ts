/**
 * Proof bundles (workers/docs/pages/developer/provenance.md): the evidence for a registration, each piece labelled with
 * its strength, and the gaps that remain. A bundle contains no ledger inclusion proof and does not claim to.
 *
 * `verifyProofBundle` does not trust the labels: it reports what it could verify itself, from the bundle alone or with
 * data the verifier obtained independently. It needs no network.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { chainBlockV4Schema, type EpochKey } from '../chain/chain.ts'
import type { SignerFault, SignerState } from '../devices/signer-standing.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import {
  capsuleHash,
  capsuleSchema,
  capsuleSignatureSchema,
  capsuleSignerSchema,
  chainBindingSchema,
} from './capsules.ts'
import { type KeyStatus, keyStatusSchema } from './signature-check.ts'
import {
  type CapsuleExpectations,
  type CapsuleOrder,
  capsuleSigner,
  isBlockAt,
  isGenesisKey,
  ownerOfBlock,
  verifySignedCapsule,
} from './signed-capsule.ts'

export const STRENGTHS = ['cryptographic', 'authority', 'service', 'claim'] as const
export const strengthSchema = /* @__PURE__ */ pure(() =>
  z.enum(STRENGTHS).meta({
    id: 'EvidenceStrength',
    description:
      '`cryptographic`: verifiable by anyone without trust. `authority`: asserted by core, which knows the keys of ' +
      'identities. `service`: asserted by this service. `claim`: asserted only by the signer',
  }),
)
export type Strength = z.infer<typeof strengthSchema>

export const EVIDENCE = [
  'capsule_signature',
  'capsule_hash',
  'content_hash',
  'key_of_did',
  'chain_block',
  'registration',
  'key_status',
  'media_facts',
] as const
export const evidenceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ kind: z.enum(EVIDENCE), strength: strengthSchema, says: z.string() })
    .meta({ id: 'Evidence', description: 'One piece of evidence and its strength' }),
)
export type Evidence = z.infer<typeof evidenceSchema>

export const GAPS = [
  'no_ledger_anchor',
  'no_trusted_time',
  'content_not_seen',
  'no_chain_binding',
  'key_by_authority',
  'key_not_current',
  'key_status_unavailable',
  'competing_claims',
  'earlier_claim',
] as const
export const gapSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ gap: z.enum(GAPS), says: z.string() })
    .meta({ id: 'ProofGap', description: 'Something the bundle does not prove' }),
)
export type Gap = z.infer<typeof gapSchema>

export const PROOF_BUNDLE = 'svc-proof-bundle/1'
export const proofBundleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal(PROOF_BUNDLE),
      assetId: assetIdSchema,
      did: didSchema,
      capsule: capsuleSchema,
      capsuleHash: hashSchema,
      signature: capsuleSignatureSchema,
      signer: capsuleSignerSchema,
      registration: z.strictObject({ position: z.int().min(1), registeredAt: z.int(), claimCount: z.int().min(1) }),
      keyStatus: keyStatusSchema.nullable(),
      chain: chainBindingSchema.extend({ block: chainBlockV4Schema }).nullable(),
      evidence: z.array(evidenceSchema),
      gaps: z.array(gapSchema).min(1),
      anchor: z.null().meta({ description: 'Always null: nothing is published to a ledger' }),
      anchorReason: z.string(),
      issuedAt: z.int().meta({ description: 'When the bundle was assembled, epoch ms' }),
    })
    .meta({ id: 'ProofBundle', description: 'Evidence for a registration, without a ledger inclusion proof' }),
)
export type ProofBundle = z.infer<typeof proofBundleSchema>

export type ProofExpectations = CapsuleExpectations

export type ProofFault =
  | 'capsule_hash'
  | 'asset_mismatch'
  | 'did_mismatch'
  | 'realm_mismatch'
  | 'invalid_signature'
  | 'content_mismatch'
  | 'signer_mismatch'
  | 'block_mismatch'
  | SignerFault

export interface ProofVerdict {
  /** Whether every check that could be made succeeded. Evidence that could not be checked is in `unverified`. */
  readonly holds: boolean
  readonly faults: readonly ProofFault[]
  /** Evidence that this verification confirmed itself. */
  readonly verified: readonly Evidence['kind'][]
  /** Evidence that still relies on trust, and whose. */
  readonly unverified: readonly { readonly kind: Evidence['kind']; readonly strength: Strength }[]
  readonly gaps: readonly Gap['gap'][]
  /** What the key that signed is today; of a device, by what core said of it. Null if nobody said. */
  readonly signer: SignerState | null
  /** `chain`: a block that core accepted commits to the capsule; that it did so before the key ended is core's word. */
  readonly order: CapsuleOrder
}

function isRootKeyOf(bundle: ProofBundle, publicKeyB64u: string, keys: readonly EpochKey[]): boolean {
  return keys.some((key) => key.publicKeyB64u === publicKeyB64u && key.epoch === bundle.signer.epoch)
}

/** Verifies a bundle offline. `bundle` must have passed its schema. */
export async function verifyProofBundle(bundle: ProofBundle, expected: ProofExpectations): Promise<ProofVerdict> {
  const { realms, file, expectedDid, rootKeys = [] } = expected
  const { capsule, signature, signer, chain } = bundle
  const { publicKeyB64u } = signature
  const faults: ProofFault[] = []
  const verified: Evidence['kind'][] = []
  if (capsule.assetId !== bundle.assetId) faults.push('asset_mismatch')
  if (capsule.did !== bundle.did || (expectedDid !== undefined && expectedDid !== bundle.did))
    faults.push('did_mismatch')
  if (capsuleHash(capsule) === bundle.capsuleHash) verified.push('capsule_hash')
  else faults.push('capsule_hash')
  const alone = await verifySignedCapsule({ capsule, signature }, { realms, ...(file && { file }) })
  faults.push(...alone.faults)
  // Whose the key is depends on the signer that the bundle names.
  verified.push(...alone.verified.filter((kind) => kind !== 'key_of_did'))
  const isRoot = isGenesisKey(bundle.did, publicKeyB64u) || isRootKeyOf(bundle, publicKeyB64u, rootKeys)
  if (isRoot && signer.kind === 'root') verified.push('key_of_did')
  // A complete key history without the key proves that it is not the DID's.
  else if (signer.kind === 'root' && rootKeys.length > 0) faults.push('signer_mismatch')
  const owner = chain && isBlockAt(chain.block, chain) ? await ownerOfBlock(capsule, chain.block, rootKeys) : null
  if (owner === 'verified') verified.push('chain_block')
  else if (chain && (owner === null || rootKeys.length > 0)) faults.push('block_mismatch')
  const found = standingIn(bundle, expected, owner === 'verified')
  if (found.fault && !faults.includes('signer_mismatch')) faults.push(found.fault)
  return {
    holds: faults.length === 0,
    faults,
    verified,
    unverified: bundle.evidence
      .filter(({ kind }) => !verified.includes(kind))
      // A label proves nothing: evidence labelled cryptographic that was not verified here relies on the service.
      .map(({ kind, strength }) => ({ kind, strength: strength === 'cryptographic' ? 'service' : strength })),
    gaps: bundle.gaps.map(({ gap }) => gap),
    signer: found.signer,
    order: found.order,
  }
}

/** A reader who cannot see the log takes core's word for what has become of a device; a block of the chain then decides. */
function standingIn(bundle: ProofBundle, expected: ProofExpectations, isFollowed: boolean) {
  const { capsule, signature, signer, keyStatus } = bundle
  const found = capsuleSigner(capsule, signature.publicKeyB64u, expected, isFollowed)
  if (signer.kind === 'root' || expected.steps || !keyStatus) return found
  const state = STATES[keyStatus.state]
  if (state === null || state === 'active') return { ...found, signer: state }
  return isFollowed
    ? ({ fault: null, signer: state, order: 'chain' } as const)
    : ({ fault: 'unordered', signer: state, order: 'unknown' } as const)
}

const STATES: Readonly<Record<KeyStatus['state'], SignerState | null>> = {
  current: 'active',
  superseded: 'superseded',
  revoked: 'revoked',
  unknown: null,
}
