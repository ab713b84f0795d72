/**
 * The client of a deployment, identities, and the types and errors of what the client returns.
 *
 * @module
 */

export type { ChainBlock, ChainHead } from '#protocol/chain/chain'
export type { Commitment } from '#protocol/chain/commitment'
export type { PendingChange } from '#protocol/chain/pending'
export type { Kept, Prospect } from '#protocol/chain/prospects'
export type { StandingChange, WatchTokenRecord } from '#protocol/chain/watch'
export type { AiPref } from '#protocol/consent/ai-pref'
export type { InceptionStep, SignedPlace, SignerState } from '#protocol/devices/signer-standing'
export type { EventKind, FeedEvent, SignedEventPage } from '#protocol/events/events'
export type { ContactMessage, InboxMessage } from '#protocol/inbox/inbox'
export type { ContactReply } from '#protocol/inbox/reply'
export type { AnchorStamp } from '#protocol/ledger/anchor-stamp'
export type { AssetEvents, ClaimReason, OwnerProof, ProofContext } from '#protocol/ledger/asset-proof'
export type { UnnamedCore } from '#protocol/ledger/asset-statements'
export type { KeptBundle } from '#protocol/ledger/blind-root'
export type { PolicyProposal } from '#protocol/ledger/governance'
export type { ExpectedMessage, SignedMessage, VerifiedMessage } from '#protocol/statements/message'
export { ArgumentError } from './arguments/argument-error.ts'
export type { AppendedBlock, Chain, GenesisOptions, NewBlock } from './chain/chain.ts'
export type { DeactivateOptions, Security } from './chain/hold.ts'
export type { KeyHistory } from './chain/key-history.ts'
export type { RehearsalOptions, Rotation, RotationOptions } from './chain/rotation.ts'
export { Client } from './client.ts'
export type { ClientOptions, ConnectOptions } from './client-options.ts'
export type { Consent, ConsentTimeline, TimelineClaim } from './consent/consent.ts'
export type { AttestOptions, DeviceChange, Devices } from './devices/devices.ts'
export type { Authorization, Pairing } from './devices/relays.ts'
export type { JoinedOffer, OpenedOffer, Welcome } from './devices/rendezvous.ts'
export type { Did } from './did/did.ts'
export type { BindingTerms, Members, PageOptions, VerifiedRoster } from './did/members.ts'
export type { Membership } from './did/membership.ts'
export type { Organization } from './did/organization.ts'
export type { DiscoverOptions, Discovery } from './discovery/discover.ts'
export { DiscoveryError } from './discovery/discovery-error.ts'
export type { Pin } from './discovery/pin.ts'
export type { EventNews, EventOptions, Events } from './events/events.ts'
export type { ClientSocket, SocketClass } from './events/socket.ts'
export type { Account } from './identity/account.ts'
export type { CreatedKeys, NewIdentity, NewIdentityOptions } from './identity/create-identity.ts'
export { Device, type DeviceOptions, type Membership as DeviceMembership } from './identity/device.ts'
export {
  Identity,
  type Lineage,
  type PreparedRecovery,
  type RecoveryOptions,
  type RequestToSign,
  type SignerOptions,
  type Signing,
} from './identity/identity.ts'
export type { NewMessage } from './identity/message.ts'
export type { IdentitySeeds } from './identity/own-keys.ts'
export type { SigningPurpose } from './identity/signing-key.ts'
export type { Contact, ContactDraft, OpenContact } from './inbox/contact.ts'
export type { Inbox, InboxExport, OpenedMessage } from './inbox/inbox.ts'
export type { OpenedReply, ReplyKey } from './inbox/reply.ts'
export type {
  DirectoryContact,
  DirectoryListing,
  KeyDirectory,
  PublishOptions,
  ReserveOptions,
  ReservePolicy,
} from './keys/directory.ts'
export type { Epochs } from './keys/epochs.ts'
export type { Guardians, GuardianTerms } from './keys/guardians.ts'
export type { KeyPackageOptions, MadePrekeys } from './keys/key-material.ts'
export type { ListedDevice, ListedPackage } from './keys/listing.ts'
export type { TransparencyOptions } from './keys/transparency.ts'
export type { AccountNews, WatchOptions } from './keys/watch-account.ts'
export type { WitnessPolicy } from './keys/witness-policy.ts'
export type { AnchorFilter, CosignedAnchor, NewAnchor, VerifiedAnchor } from './ledger/anchor-options.ts'
export type { AnchorSigning } from './ledger/anchor-signing.ts'
export type { Anchors } from './ledger/anchors.ts'
export type { AppInfo, Assets, DisplacedAsset, ExportedAsset, ReadAsset } from './ledger/assets.ts'
export type { Governance } from './ledger/governance.ts'
export type { FileToStamp, StampOptions } from './ledger/stamps.ts'
export type { ProvedOwner } from './ledger/verify-asset.ts'
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
export { Memory, type MemoryOptions } from './memory/memory.ts'
export type { MemoryValue } from './memory/memory-value.ts'
export { type TrustStore, VolatileStore } from './memory/trust-store.ts'
export { type FromMirror, mirrorOf } from './mirrors/from-mirror.ts'
export type { MirrorOptions } from './mirrors/mirror-options.ts'
export { StaleMirrorError } from './mirrors/stale-mirror-error.ts'
export type { ArchivedItem, PassedOver, RestoreOptions, RestoreSummary } from './notes/archive.ts'
export type { FileContent, NewFile, ReadFileOptions } from './notes/attachments.ts'
export type { NoteWritten } from './notes/batch.ts'
export type { Notes } from './notes/notes.ts'
export type { NoteSigning, ReadNoteOptions } from './notes/order/note-signing.ts'
export type { AttachedFile, Note } from './notes/record.ts'
export type { NoteBase, NoteText, WrittenNote } from './notes/vault.ts'
export type { Entitlements } from './pay/entitlements.ts'
export type { QuotaLease } from './pay/lease.ts'
export type { Pay } from './pay/pay.ts'
export type { ConsumeOptions, Quota } from './pay/quota.ts'
export type { CapsuleFacts, KeptCommitment, Provenance, SignedCapsule } from './provenance/provenance.ts'
export type { MediaSearch } from './provenance/similarity.ts'
export type { ProofEvidence } from './provenance/verify-proof.ts'
export type { KeptRecovery } from './recovery/kept-recovery.ts'
export type { RecoveringDevice, RootCopy } from './recovery/parties.ts'
export type { RecoverOptions, RecoveryProgress } from './recovery/recover.ts'
export type { Recovery } from './recovery/recovery.ts'
export type { RecoveryStatus } from './recovery/stage.ts'
export type { RecoveryAct, RecoveryStage, RecoveryStep } from './recovery/steps.ts'
export type { Lazy } from './services/lazy-service.ts'
export type { KeyAgreement, Signer } from './signers/signer.ts'
export { SignerError, type SignerReason } from './signers/signer-error.ts'
export type { Call } from './transport/call.ts'
export { ConfigurationError } from './transport/configuration-error.ts'
export { ConnectionError } from './transport/connection-error.ts'
export type { Fetch, FetchInit } from './transport/fetch.ts'
export type { OnPending } from './transport/pending-watch.ts'
export type { OnProgress, Progress } from './transport/progress.ts'
export type { RetryOptions, Sleep } from './transport/retries.ts'
export { ServiceError } from './transport/service-error.ts'
export { type Asserter, type CallOptions, Transport, type TransportOptions } from './transport/transport.ts'
export type { VerificationReason } from './verification/reasons.ts'
export { type Safe, safely, type Verified } from './verification/safe.ts'
export type { VerificationSubject } from './verification/subjects.ts'
export { VerificationError, type VerificationFault, type Where } from './verification/verification-error.ts'
export type { Watch, WatchedRoot } from './watch/watch.ts'
export { WatchToken } from './watch/watch-token.ts'
