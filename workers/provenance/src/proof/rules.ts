/**
 * The rules of proof bundles: which evidence a registration has, how strong each piece is, and what is missing. When in
 * doubt, evidence counts as missing.
 *
 * @module
 */

import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import type { ChainBlockV4 } from '@svc/protocol/chain/chain'
import type { CapsuleRecord } from '@svc/protocol/provenance/capsules'
import { type Evidence, type Gap, PROOF_BUNDLE, type ProofBundle } from '@svc/protocol/provenance/proof-bundle'
import type { KeyStatus } from '@svc/protocol/provenance/signature-check'

const ANCHOR_REASON =
  'Automatic ledger publication is disabled: nothing that is registered here is published to a ledger by this service'

export interface ProofFacts {
  readonly record: CapsuleRecord
  readonly block: ChainBlockV4 | null
  /** Null if core could not say. */
  readonly keyStatus: KeyStatus | null
}

export function proofOf({ record, block, keyStatus }: ProofFacts, now: number): ProofBundle {
  const { assetId, did, capsule, capsuleHash, signature, signer, position, registeredAt, claimCount } = record
  const chain = record.chain && block ? { ...record.chain, block } : null
  return {
    format: PROOF_BUNDLE,
    assetId,
    did,
    capsule,
    capsuleHash,
    signature,
    signer,
    registration: { position, registeredAt, claimCount },
    keyStatus,
    chain,
    evidence: evidenceOf(record, chain !== null),
    gaps: gapsOf(record, keyStatus, chain !== null),
    anchor: null,
    anchorReason: ANCHOR_REASON,
    issuedAt: now,
  }
}

/** Whether the DID derives from the very key that signed. If so, ownership needs no third party. */
function isSelfEvident({ did, signer, signature }: CapsuleRecord): boolean {
  return signer.kind === 'root' && didOf(userIdOfKey(signature.publicKeyB64u)) === did
}

function evidenceOf(record: CapsuleRecord, isBound: boolean): Evidence[] {
  const bound: Evidence[] = isBound
    ? [
        {
          kind: 'chain_block',
          strength: 'cryptographic',
          says: 'The owner’s root key has signed a block of its chain with this capsule’s hash; that core accepted it is core’s word',
        },
      ]
    : []
  return [
    { kind: 'capsule_signature', strength: 'cryptographic', says: 'The key has signed exactly this capsule' },
    { kind: 'capsule_hash', strength: 'cryptographic', says: 'The hash is that of the capsule' },
    {
      kind: 'content_hash',
      strength: 'cryptographic',
      says: 'A file whose SHA3-384 is in the asset id is the file; anyone who has the file can compare',
    },
    {
      kind: 'key_of_did',
      strength: isSelfEvident(record) ? 'cryptographic' : 'authority',
      says: isSelfEvident(record)
        ? 'The DID is derived from the key that signed'
        : 'At registration core said that the key speaks for the DID',
    },
    ...bound,
    { kind: 'registration', strength: 'service', says: 'This service completed the registration then, in that order' },
    { kind: 'key_status', strength: 'authority', says: 'How core says that the key stands now' },
    {
      kind: 'media_facts',
      strength: 'claim',
      says: 'Type, size, times and perceptual hashes are what the signer says',
    },
  ]
}

function gapsOf(record: CapsuleRecord, keyStatus: KeyStatus | null, isBound: boolean): Gap[] {
  const { claims, did } = record
  const gaps: (Gap | false)[] = [
    { gap: 'no_ledger_anchor', says: 'No ledger holds anything of this registration' },
    {
      gap: 'no_trusted_time',
      says: 'No party but this service says when it was registered, and none when it was made',
    },
    {
      gap: 'content_not_seen',
      says: 'The file never came here: that it exists, or shows what is said, nobody has checked',
    },
    !isBound && { gap: 'no_chain_binding', says: 'No block of the owner’s chain carries the capsule' },
    !isSelfEvident(record) && { gap: 'key_by_authority', says: 'Whose key it is rests on core, or on the key history' },
    keyStatus === null && { gap: 'key_status_unavailable', says: 'Core could not say how the key stands now' },
    keyStatus !== null &&
      keyStatus.state !== 'current' && { gap: 'key_not_current', says: `The key is ${keyStatus.state} now` },
    record.claimCount > 1 && { gap: 'competing_claims', says: 'Other identities have registered the same asset' },
    claims[0]?.did !== did && { gap: 'earlier_claim', says: 'Another identity has registered the same asset before' },
  ]
  return gaps.filter((gap) => gap !== false)
}
