/**
 * Functions that need no client: ids, key material, preferences, and the schemas of what a client keeps.
 *
 * @module
 */

export type { Fingerprint } from '#fingerprint'
export { mlDsa65, mlKem768 } from '#pqc'
export { CAPABILITIES, type Capability } from '#protocol/base/device'
export { STATEMENT_TYPES } from '#protocol/base/statement'
export { type ChainBlock, chainBlockSchema } from '#protocol/chain/chain'
export type { AiPref } from '#protocol/consent/ai-pref'
export type { Invitation, InvitationFault } from '#protocol/devices/invitation'
export type { KnownEvent } from '#protocol/events/events'
export { ERRORS, type ErrorName } from '#protocol/http/errors'
export { anchorStampSchema } from '#protocol/ledger/anchor-stamp'
export type { UnnamedCore } from '#protocol/ledger/asset-statements'
export { governancePolicySchema } from '#protocol/ledger/governance'
export type { ListedLogs } from '#protocol/merkle/log-list'
export { type CapsuleVectors, capsuleVectorsSchema } from '#protocol/provenance/vector-search'
export { type DeviceStanding, deviceStandingOf } from './devices/standing.ts'
export { type StandingDevice, standingDevices } from './devices/standing-devices.ts'
export { discover } from './discovery/discover.ts'
export { pinSchema } from './discovery/pin.ts'
export { type Explanation, explain } from './explain/explain.ts'
export type { ExplainedRequest } from './explain/explained-request.ts'
export type { ExplanationCode } from './explain/findings.ts'
export { fingerprintText } from './functions/fingerprint.ts'
export { assetIdOf, contactTag, makeContactPass, statusOf, subjectHashOf } from './functions/ids.ts'
export { readInvitation } from './functions/invitation.ts'
export { listFingerprint } from './functions/list-fingerprint.ts'
export {
  consentBucketOf,
  contentUsageLine,
  contentUsageRule,
  parseAiPref,
  writeAiPref,
} from './functions/preferences.ts'
export {
  blockHash,
  guardianRequestId,
  inceptionHeadAfter,
  isKnownEvent,
  isSigned,
  prepareHeader,
  rotationIdOf,
  statementHash,
  userIdOfKey,
  verifyBlockSignature,
} from './functions/records.ts'
export { didOf } from './identity/did-of.ts'
export { type NewKey, newKeyFor } from './identity/new-key.ts'
export { replyKeySchema } from './inbox/reply.ts'
export { replyKeyOf, replyLinkOf } from './inbox/reply-link.ts'
export { type KeyPackageOptions, type MadePrekeys, makeKeyPackage, makePrekeys } from './keys/key-material.ts'
export { hashOf, hashOfBlob } from './ledger/hash-of.ts'
export { rootOfFile } from './ledger/root-of-file.ts'
export { isStampNote } from './ledger/stamp-note.ts'
export { memoryValueSchema } from './memory/memory-value.ts'
export { NOTE_ARCHIVE_FORMAT, noteArchiveLines } from './notes/archive-lines.ts'
export { noteExcerpt, noteNameOf, searchNotes, unsharedNotes } from './notes/search.ts'
export { textAssetIdOf } from './provenance/text-asset-id.ts'
export { completedRecovery, keptKeys, keptRecoverySchema } from './recovery/kept-recovery.ts'
export { type BodyLimits, readAnyJson, readText } from './transport/guarded-body.ts'
export { type RefusalContext, serviceErrorOf } from './transport/refusal.ts'
