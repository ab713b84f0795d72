/**
 * Verification without a client: chains, root keys, deliveries of web hooks, anchors, assets, messages, proofs, snapshots
 * of consent. Costs what it uses.
 *
 * @module
 */

export type { InceptionStep, SignedPlace, SignerState } from '#protocol/devices/signer-standing'
export type { AssetEvents, ClaimReason, OwnerProof, ProofContext } from '#protocol/ledger/asset-proof'
export type { AnchorTime } from '#protocol/ledger/cosigned/seen-by'
export type { ExpectedMessage, SignedMessage, VerifiedMessage } from '#protocol/statements/message'
export { type Blocks, safeVerifyChain, verifyChain } from './chain/verify-chain.ts'
export { type RootKeys, safeVerifyKeyHistory, verifyKeyHistory } from './chain/verify-key-history.ts'
export { ConsentSnapshot, type SnapshotAnswer } from './consent/snapshot.ts'
export {
  type Delivery,
  type ExpectedDelivery,
  safeVerifyDelivery,
  verifyDelivery,
} from './events/verify-delivery.ts'
export { safeVerifyMessage, verifyMessage } from './identity/verify-message.ts'
export { anchorTime } from './ledger/anchor-time.ts'
export { safeVerifyAnchor, verifyAnchor } from './ledger/verify-anchor.ts'
export { type ProvedOwner, safeVerifyAsset, verifyAsset } from './ledger/verify-asset.ts'
export { type CapsuleEvidence, safeVerifyCapsule, verifyCapsule } from './provenance/verify-capsule.ts'
export {
  type ProofEvidence,
  safeVerifyOpening,
  safeVerifyProof,
  verifyOpening,
  verifyProof,
} from './provenance/verify-proof.ts'
export {
  type ServiceStatement,
  safeVerifyServiceStatement,
  verifyServiceStatement,
} from './statements/verify-service-statement.ts'
export { VERIFICATION_REASONS, type VerificationReason } from './verification/reasons.ts'
export { type Safe, safely, type Verified } from './verification/safe.ts'
export { VERIFICATION_SUBJECTS, type VerificationSubject } from './verification/subjects.ts'
export { VerificationError, type VerificationFault, type Where } from './verification/verification-error.ts'
