/**
 * Proof bundles (document 2 section 2.2): what there is to show for a registration, each piece labelled with how far it
 * carries, and what is missing. No ledger inclusion proof is in it, and nothing in it pretends to be one.
 *
 * `verifyProofBundle` takes no label on trust: it says what it could verify itself, by a bundle alone or with what the
 * verifier has from elsewhere. It needs no network.
 *
 * @module
 */
import { mlDsa65 } from '@svc/pqc'
import * as z from 'zod'
import { assetIdSchema } from './assets.ts'
import { bytesOf } from './base64url.ts'
import {
  assetIdOf,
  CAPSULE_CONTENT_TYPE,
  capsuleHash,
  capsuleSchema,
  capsuleSignatureSchema,
  capsuleSignerSchema,
  chainBindingSchema,
} from './capsules.ts'
import {
  blockHash,
  type ChainBlockV4,
  chainBlockV4Schema,
  type EpochKey,
  isSigned,
  verifyBlockSignature,
} from './chain.ts'
import { hashSchema } from './hash.ts'
import { didOf, didSchema, userIdOfKey } from './identity.ts'
import { jcsBytes } from './jcs.ts'
import { keyStatusSchema } from './signature-check.ts'

export const STRENGTHS = ['cryptographic', 'authority', 'service', 'claim'] as const
export const strengthSchema = z.enum(STRENGTHS).meta({
  id: 'EvidenceStrength',
  description:
    '`cryptographic`: anybody can verify it without trusting anybody. `authority`: the word of core, which knows the ' +
    'keys of identities. `service`: the word of this service. `claim`: the word of the signer alone',
})
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
export const evidenceSchema = z
  .strictObject({ kind: z.enum(EVIDENCE), strength: strengthSchema, says: z.string() })
  .meta({ id: 'Evidence', description: 'One thing that the bundle shows, and how far it carries' })
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
export const gapSchema = z
  .strictObject({ gap: z.enum(GAPS), says: z.string() })
  .meta({ id: 'ProofGap', description: 'What the bundle does not show' })
export type Gap = z.infer<typeof gapSchema>

export const PROOF_BUNDLE = 'svc-proof-bundle/1'
export const proofBundleSchema = z
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
    anchor: z.null().meta({ description: 'Always null: nothing here is published to a ledger' }),
    anchorReason: z.string(),
    issuedAt: z.int().meta({ description: 'When the bundle was put together, epoch ms' }),
  })
  .meta({ id: 'ProofBundle', description: 'Evidence for a registration; no ledger inclusion proof' })
export type ProofBundle = z.infer<typeof proofBundleSchema>

/** What a verifier has from elsewhere. Without any of it the signature alone is verified. */
export interface ProofExpectations {
  /** The bytes of the file: then the bundle must be about exactly this file. */
  readonly file?: Uint8Array
  readonly expectedDid?: string
  /** Root keys of the DID, verified (`verifyKeyHistory`), for an identity whose root key was rotated. */
  readonly rootKeys?: readonly EpochKey[]
}

export type ProofFault =
  | 'capsule_hash'
  | 'asset_mismatch'
  | 'did_mismatch'
  | 'invalid_signature'
  | 'content_mismatch'
  | 'signer_mismatch'
  | 'block_mismatch'

export interface ProofVerdict {
  /** Whether nothing that could be verified failed. What could not be is in `unverified`. */
  readonly holds: boolean
  readonly faults: readonly ProofFault[]
  /** What this verification found out for itself. */
  readonly verified: readonly Evidence['kind'][]
  /** What still rests on somebody's word, with whose. */
  readonly unverified: readonly { readonly kind: Evidence['kind']; readonly strength: Strength }[]
  readonly gaps: readonly Gap['gap'][]
}

/** Whether the key is the DID's by derivation alone: the genesis key names its identity. */
function isGenesisKey({ did, signer, signature }: ProofBundle): boolean {
  return signer.kind === 'root' && didOf(userIdOfKey(signature.publicKeyB64u)) === did
}

function isRootKeyOf(bundle: ProofBundle, publicKeyB64u: string, keys: readonly EpochKey[]): boolean {
  return keys.some((key) => key.publicKeyB64u === publicKeyB64u && key.epoch === bundle.signer.epoch)
}

/** The block carries this capsule's hash and was signed by the root key that it names; whose key that is comes apart. */
async function isBlockOf(bundle: ProofBundle, block: ChainBlockV4, binding: { index: string; hash: string }) {
  if (!isSigned(block) || block.contentType !== CAPSULE_CONTENT_TYPE) return false
  const isThis = block.dataHash === capsuleHash(bundle.capsule) && didOf(block.scope) === bundle.did
  const isThere = block.index === binding.index && blockHash(block) === binding.hash
  return isThis && isThere && verifyBlockSignature(block)
}

/** Verifies a bundle offline. `bundle` has passed its schema. */
export async function verifyProofBundle(
  bundle: ProofBundle,
  { file, expectedDid, rootKeys = [] }: ProofExpectations = {},
): Promise<ProofVerdict> {
  const { capsule, signature, chain } = bundle
  const faults: ProofFault[] = []
  const verified: Evidence['kind'][] = []
  const settle = (kind: Evidence['kind'], fault: ProofFault, holds: boolean) => {
    if (holds) verified.push(kind)
    else faults.push(fault)
  }
  if (capsule.assetId !== bundle.assetId) faults.push('asset_mismatch')
  if (capsule.did !== bundle.did || (expectedDid !== undefined && expectedDid !== bundle.did))
    faults.push('did_mismatch')
  settle('capsule_hash', 'capsule_hash', capsuleHash(capsule) === bundle.capsuleHash)
  const message = jcsBytes(capsule)
  const isSignedBy = await mlDsa65.verify(bytesOf(signature.publicKeyB64u), message, bytesOf(signature.signatureB64u))
  settle('capsule_signature', 'invalid_signature', isSignedBy)
  if (file) settle('content_hash', 'content_mismatch', assetIdOf(file) === capsule.assetId)
  const isRoot = isGenesisKey(bundle) || isRootKeyOf(bundle, signature.publicKeyB64u, rootKeys)
  if (isRoot && bundle.signer.kind === 'root') verified.push('key_of_did')
  // A history that is complete and does not have the key says that it is not the DID's.
  else if (bundle.signer.kind === 'root' && rootKeys.length > 0) faults.push('signer_mismatch')
  if (chain) {
    const holds = await isBlockOf(bundle, chain.block, chain)
    const { ownerPublicKey: key, epoch } = chain.block
    const isGenesis = epoch === 0 && didOf(userIdOfKey(key)) === bundle.did
    const isOwners = isGenesis || rootKeys.some((root) => root.publicKeyB64u === key && root.epoch === epoch)
    if (!holds) faults.push('block_mismatch')
    else if (isOwners) verified.push('chain_block')
    else if (rootKeys.length > 0) faults.push('block_mismatch')
  }
  return {
    holds: faults.length === 0,
    faults,
    verified,
    unverified: bundle.evidence
      .filter(({ kind }) => !verified.includes(kind))
      // A label is nobody's proof: what is called cryptographic and was not verified here rests on the service's word.
      .map(({ kind, strength }) => ({ kind, strength: strength === 'cryptographic' ? 'service' : strength })),
    gaps: bundle.gaps.map(({ gap }) => gap),
  }
}
