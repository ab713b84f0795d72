export { mlDsa65, mlKem768 } from '@svc/pqc'
export type { ChainBlock, ChainHead } from '@svc/protocol/chain/chain'
export type { PendingChange } from '@svc/protocol/chain/pending'
export type { Kept, Prospect } from '@svc/protocol/chain/prospects'
export {
  type AiPref,
  contentUsageLine,
  contentUsageRule,
  parseAiPref,
  writeAiPref,
} from '@svc/protocol/consent/ai-pref'
export { bucketOf as consentBucketOf } from '@svc/protocol/consent/buckets'
export { statusOf, subjectHashOf } from '@svc/protocol/did/org-bindings'
export { contactTag } from '@svc/protocol/keys/reserving'
export type { AssetEvents, ClaimReason, OwnerProof, ProofContext } from '@svc/protocol/ledger/asset-proof'
export { assetIdOf, type UnnamedCore } from '@svc/protocol/ledger/asset-statements'
export type { PolicyProposal } from '@svc/protocol/ledger/governance'
export { prepareHeader } from '@svc/protocol/notes/headers'
export type { ExpectedMessage, SignedMessage } from '@svc/protocol/statements/message'
export { type AppendedBlock, Chain, type NewBlock } from './chain/chain.ts'
export { Security } from './chain/hold.ts'
export { KeyHistory } from './chain/key-history.ts'
export { type RehearsalOptions, Rotation, type RotationOptions } from './chain/rotation.ts'
export { type Blocks, safeVerifyChain, verifyChain } from './chain/verify-chain.ts'
export { Client, type ClientOptions, type ConnectOptions } from './client.ts'
export { Consent, type ConsentTimeline, type TimelineClaim } from './consent/consent.ts'
export { ConsentSnapshot, type SnapshotAnswer } from './consent/snapshot.ts'
export { type AttestOptions, type DeviceChange, Devices } from './devices/devices.ts'
export { Authorization, type OfferLink, Pairing, type Welcome } from './devices/rendezvous.ts'
export { Did } from './did/did.ts'
export { type BindingTerms, Members, type PageOptions, type VerifiedRoster } from './did/members.ts'
export { Membership } from './did/membership.ts'
export { Organization } from './did/organization.ts'
export { type DiscoverOptions, type Discovery, DiscoveryError, discover } from './discovery/discover.ts'
export { type Pin, pinSchema } from './discovery/pin.ts'
export { Account } from './identity/account.ts'
export { Device, type DeviceOptions } from './identity/device.ts'
export { type ExportedIdentity, exportIdentity, importIdentity } from './identity/export.ts'
export {
  Identity,
  type IdentitySeeds,
  type Lineage,
  type PreparedRecovery,
  type RecoveryOptions,
  type Signing,
} from './identity/identity.ts'
export type { NewMessage } from './identity/message.ts'
export { safeVerifyMessage, verifyMessage } from './identity/verify-message.ts'
export { Contact, type ContactDraft, type OpenContact } from './inbox/contact.ts'
export { Inbox, type InboxExport } from './inbox/inbox.ts'
export {
  type DirectoryListing,
  KeyDirectory,
  type ListedDevice,
  type PublishOptions,
  type ReserveOptions,
  type ReservePolicy,
} from './keys/directory.ts'
export { Epochs } from './keys/epochs.ts'
export { Guardians, type GuardianTerms } from './keys/guardians.ts'
export { type KeyPackageOptions, type MadePrekeys, makeKeyPackage, makePrekeys } from './keys/key-material.ts'
export { type AuditReport, type AuditState, auditStateSchema, LogAuditor } from './keys/log-auditor.ts'
export { Transparency, type TransparencyOptions } from './keys/transparency.ts'
export { Anchors, type NewAnchor } from './ledger/anchors.ts'
export { type AppInfo, Assets, type DisplacedAsset, type ExportedAsset, type ReadAsset } from './ledger/assets.ts'
export { Governance } from './ledger/governance.ts'
export { safeVerifyAnchor, verifyAnchor } from './ledger/verify-anchor.ts'
export { type ProvedOwner, safeVerifyAsset, verifyAsset } from './ledger/verify-asset.ts'
export { TrustedLogs, type TrustedLogsOptions } from './logs/trusted-logs.ts'
export {
  type Contradiction,
  ForkError,
  HistoryError,
  type LogName,
  type Piece,
  type Place,
  RollbackError,
  UnprovedError,
} from './memory/errors.ts'
export { Memory } from './memory/memory.ts'
export { type MemoryValue, memoryValueSchema } from './memory/memory-value.ts'
export type { ArchivedItem, RestoreOptions, RestoreSummary } from './notes/archive.ts'
export { type NewFile, Notes, type NoteText } from './notes/notes.ts'
export type { AttachedFile, Note } from './notes/record.ts'
export type { NoteBase, WrittenNote } from './notes/vault.ts'
export { Entitlements } from './pay/entitlements.ts'
export { Pay } from './pay/pay.ts'
export { type ConsumeOptions, Quota } from './pay/quota.ts'
export { type CapsuleFacts, type KeptCommitment, Provenance, type SignedCapsule } from './provenance/provenance.ts'
export { type MediaSearch, textAssetIdOf } from './provenance/similarity.ts'
export {
  type ProofEvidence,
  safeVerifyOpening,
  safeVerifyProof,
  verifyOpening,
  verifyProof,
} from './provenance/verify-proof.ts'
export { type KeptRecovery, keptRecoverySchema } from './recovery/kept-recovery.ts'
export { type RecoveringDevice, Recovery, type RootCopy } from './recovery/recovery.ts'
export type { RecoveryAct, RecoveryStage, RecoveryStatus, RecoveryStep } from './recovery/stage.ts'
export type { OnPending } from './transport/pending-watch.ts'
export { ServiceError } from './transport/service-error.ts'
export { type Asserter, type Call, Transport, type TransportOptions } from './transport/transport.ts'
export { VERIFICATION_REASONS, type VerificationReason } from './verification/reasons.ts'
export { type Safe, safely, type Verified } from './verification/safe.ts'
export { VERIFICATION_SUBJECTS, type VerificationSubject } from './verification/subjects.ts'
export { VerificationError, type VerificationFault, type Where } from './verification/verification-error.ts'
