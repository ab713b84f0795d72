/** The schema that each JSON example of the pages keeps to, by the name of the example. */

import { exportedKeysSchema, keySetSchema } from '@svc/client/backup'
import { base64urlOf } from '@svc/protocol/base/base64url'
import * as device from '@svc/protocol/base/device'
import * as names from '@svc/protocol/base/identity'
import { kemPublicKeySchema, signedKeyAgreementSchema } from '@svc/protocol/base/key-agreement'
import * as chainApi from '@svc/protocol/chain/api'
import * as chain from '@svc/protocol/chain/chain'
import * as deactivation from '@svc/protocol/chain/deactivation'
import { holdStateSchema } from '@svc/protocol/chain/hold'
import * as rotation from '@svc/protocol/chain/rotation'
import * as inceptionApi from '@svc/protocol/devices/api'
import * as inception from '@svc/protocol/devices/inception'
import * as rendezvous from '@svc/protocol/devices/rendezvous'
import * as did from '@svc/protocol/did/did'
import { orgEventSchema } from '@svc/protocol/did/org-bindings'
import * as organizations from '@svc/protocol/did/organizations'
import { putRegistrationSchema, registerRequestSchema, registrationSchema } from '@svc/protocol/did/registration'
import { resolutionProofSchema } from '@svc/protocol/did/resolution-statement'
import * as discovery from '@svc/protocol/http/discovery'
import { discoveryDocumentSchema } from '@svc/protocol/http/discovery-document'
import * as envelope from '@svc/protocol/http/envelope'
import * as health from '@svc/protocol/http/health'
import * as internalChain from '@svc/protocol/internal/chain'
import * as internal from '@svc/protocol/internal/core'
import * as internalStorage from '@svc/protocol/internal/storage'
import * as keyCapabilities from '@svc/protocol/keys/capabilities'
import * as directory from '@svc/protocol/keys/directory'
import * as epochs from '@svc/protocol/keys/epochs'
import * as guardians from '@svc/protocol/keys/guardians'
import { signedPackageRevocationSchema } from '@svc/protocol/keys/packages'
import { directorySettingsSchema } from '@svc/protocol/keys/reserving'
import * as transparency from '@svc/protocol/keys/transparency'
import * as anchorFeed from '@svc/protocol/ledger/anchor-feed'
import * as anchorLog from '@svc/protocol/ledger/anchor-log'
import { anchorSubmissionSchema, submitAnchorSchema } from '@svc/protocol/ledger/anchor-submission'
import * as anchors from '@svc/protocol/ledger/anchors'
import * as assetStatements from '@svc/protocol/ledger/asset-statements'
import * as assets from '@svc/protocol/ledger/assets'
import * as governance from '@svc/protocol/ledger/governance'
import * as pinning from '@svc/protocol/ledger/pinning'
import { openEntrySchema } from '@svc/protocol/merkle/entries'
import * as logList from '@svc/protocol/merkle/log-list'
import * as operator from '@svc/protocol/operator/acts'
import * as deadLetters from '@svc/protocol/operator/dead-letters'
import * as imports from '@svc/protocol/operator/imports'
import { invitePageSchema } from '@svc/protocol/operator/invites'
import * as reads from '@svc/protocol/operator/reads'
import { signedContentTakedownSchema, signedTakedownSchema, takedownPageSchema } from '@svc/protocol/operator/takedown'
import * as entitlements from '@svc/protocol/pay/entitlements'
import * as intents from '@svc/protocol/pay/intents'
import { quotaLeaseSchema } from '@svc/protocol/pay/leases'
import * as licences from '@svc/protocol/pay/licences'
import * as offers from '@svc/protocol/pay/offers'
import * as quota from '@svc/protocol/pay/quota'
import * as provenanceApi from '@svc/protocol/provenance/api'
import * as capsules from '@svc/protocol/provenance/capsules'
import * as commitments from '@svc/protocol/provenance/commitments'
import * as modelFiles from '@svc/protocol/provenance/model-files'
import * as provenancePath from '@svc/protocol/provenance/path'
import * as proof from '@svc/protocol/provenance/proof-bundle'
import * as check from '@svc/protocol/provenance/signature-check'
import * as textAssets from '@svc/protocol/provenance/text-assets'
import { vectorMatchesSchema } from '@svc/protocol/provenance/vector-search'
import { verifyRequestSchema, verifyResultSchema } from '@svc/protocol/provenance/verification'
import { signedMessageSchema } from '@svc/protocol/statements/message'
import * as z from 'zod'
import { CONSENT_SCHEMAS } from './consent-schemas.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'
import { INBOX_SCHEMAS } from './inbox-schemas.ts'
import { NOTE_SCHEMAS } from './note-schemas.ts'
import { SIGN_IN_SCHEMAS } from './sign-in-schemas.ts'

const { envelopeOf } = envelope
const hex = names.userIdSchema
const url = z.url()
/** Of a line of the log. */
const LINE = { service: z.string(), requestId: z.uuid(), reason: z.string() }

/** The envelope of provenance. */
const provenanceOf = (data: z.ZodType) => z.strictObject({ ...envelopeOf(data).shape, requestId: z.string() })

const codePointRange = [z.string().regex(/^[0-9a-f]{4,5}$/), z.string().regex(/^[0-9a-f]{4,5}$/)] as const
const fingerprintTablesSchema = z.strictObject({
  points: z.array(z.tuple(codePointRange)),
  unseen: z.array(z.tuple(codePointRange)),
  scripts: z.array(z.tuple([...codePointRange, z.enum(['ideograph', 'kana', 'cluster'])])),
})
const fingerprintGoldenSchema = z.strictObject({
  text: z.string(),
  word_count: z.int().min(5),
  chunks: z.array(
    z.strictObject({
      start: z.int().min(0),
      words: z.int().min(1),
      packed_hex: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})

export const SCHEMAS: Record<string, z.ZodType> = {
  'discovery-document': discoveryDocumentSchema,
  ...CONSENT_SCHEMAS,
  ...EVENT_SCHEMAS,
  ...INBOX_SCHEMAS,
  ...NOTE_SCHEMAS,
  ...SIGN_IN_SCHEMAS,
  'anchor-status': provenanceOf(provenanceApi.anchorStatusSchema),
  'bound-block': internalChain.bindAnswerSchema,
  'stored-amounts': internalStorage.storedAmountsSchema,
  capsule: capsules.capsuleSchema,
  'capsule-deleted': provenanceOf(capsules.capsuleDeletedSchema),
  'capsule-record': provenanceOf(capsules.capsuleRecordSchema),
  'capsule-verification': provenanceOf(capsules.capsuleVerificationSchema),
  'chain-provenance': provenanceOf(provenancePath.chainProvenanceSchema),
  'check-batch': check.checkBatchSchema,
  'check-request': check.checkRequestSchema,
  checked: provenanceOf(check.checkedSchema),
  'checked-batch': provenanceOf(check.checkedBatchSchema),
  'checked-with-status': provenanceOf(check.checkedWithStatusSchema),
  'create-commitment': commitments.createCommitmentSchema,
  'created-commitment': provenanceOf(commitments.createdCommitmentSchema),
  'historical-commitment': provenanceOf(commitments.commitmentSchema),
  'proof-bundle': provenanceOf(proof.proofBundleSchema),
  keypoints: provenanceOf(modelFiles.keypointsSchema),
  'keypoint-page': provenanceOf(modelFiles.keypointPageSchema),
  'keypoints-deleted': provenanceOf(modelFiles.keypointsDeletedSchema),
  'fingerprint-function-words': z.array(z.string().regex(/^\S+(?: \S+)*$/)),
  'fingerprint-golden': z.array(fingerprintGoldenSchema),
  'fingerprint-replacements': z.array(z.string().regex(/^\S{2,}(?: \S{2,})*$/)),
  'fingerprint-tables': fingerprintTablesSchema,
  'model-manifest': modelFiles.modelManifestSchema,
  reindex: operator.reindexSchema,
  'content-takedown': signedContentTakedownSchema,
  takedown: signedTakedownSchema,
  takedowns: provenanceOf(takedownPageSchema),
  reindexed: provenanceOf(operator.reindexedSchema),
  'text-deleted': provenanceOf(textAssets.textDeletedSchema),
  'text-matches': provenanceOf(textAssets.textMatchesSchema),
  'text-registered': textAssets.textRegisteredSchema,
  'vector-matches': provenanceOf(vectorMatchesSchema),
  'register-capsule': capsules.registerCapsuleSchema,
  'registered-capsule': provenanceOf(capsules.registeredCapsuleSchema),
  'verification-refused': envelope.provenanceErrorSchema,
  'activate-rotation': rotation.activateRequestSchema,
  appended: envelopeOf(chainApi.appendedSchema),
  'append-request': chain.appendRequestSchema,
  'assertion-payload': z.looseObject({ version: z.literal(1), htm: z.literal('GET'), htu: url, bodyHash: hex }),
  'assertion-payload-v2': z.looseObject({
    version: z.literal(2),
    purpose: z.literal('auth/device-session'),
    deviceId: device.deviceIdSchema,
    origin: device.deviceOriginSchema,
    capabilities: device.capabilitiesSchema,
  }),
  'attest-device': inception.attestDeviceSchema,
  'auth-health': health.signInHealthSchema,
  'auth-not-found': envelope.errorEnvelopeSchema,
  'local-wrap': z.strictObject({
    type: z.literal('svc/local-wrap/v1'),
    application: z.string(),
    saltB64u: base64urlOf(32),
    nonceB64u: base64urlOf(12),
    ciphertextB64u: base64urlOf(48),
  }),
  authority: internal.authoritySchema,
  'block-v2': chain.chainBlockV2Schema,
  'block-v3': chain.chainBlockV3Schema,
  'blocks-answer': envelopeOf(chainApi.blocksAnswerSchema),
  confirmation: z.strictObject({
    type: z.literal('svc/pairing-confirmation/v1'),
    rootPublicKeyB64u: names.publicKeySchema,
    devicePublicKeyB64u: names.publicKeySchema,
    kemPublicKeyB64u: kemPublicKeySchema,
  }),
  'consent-health': health.livenessSchema,
  'consume-nonce': internal.consumeNonceSchema,
  'core-banner': envelopeOf(discovery.bannerSchema),
  'core-capabilities': discovery.capabilitiesSchema,
  'core-health': envelopeOf(discovery.healthDataSchema),
  'core-meta': envelopeOf(discovery.metaDataSchema),
  'core-version': discovery.versionDataSchema,
  'cors-denied': envelope.errorEnvelopeSchema,
  'device-batch': inception.deviceBatchSchema,
  'device-event': inception.changeDeviceSchema,
  'device-record': device.deviceRecordSchema,
  deactivated: envelopeOf(deactivation.deactivatedSchema),
  deactivation: deactivation.signedDeactivationSchema,
  delivered: envelopeOf(rendezvous.deliveredSchema),
  'key-export': exportedKeysSchema,
  'key-set': keySetSchema,
  'did-clock': envelope.didErrorSchema,
  'did-error': envelope.didErrorSchema,
  'did-health': z.looseObject({ status: z.literal('ok'), service: z.literal('did'), method: z.literal('did:svc') }),
  'did-resolver': z.looseObject({
    '@context': z.array(url),
    service: z.array(z.looseObject({ serviceEndpoint: url })),
  }),
  'docs-health': health.livenessSchema,
  'emergency-refusal': envelope.tierErrorSchema,
  'error-envelope': envelope.errorEnvelopeSchema,
  'genesis-record': envelopeOf(chainApi.genesisRecordSchema),
  'genesis-request': chainApi.genesisRequestSchema,
  'head-answer': envelopeOf(chainApi.headAnswerSchema),
  'grant-request': rendezvous.grantRequestSchema,
  'identity-derivation': z.strictObject({
    publicKeyB64u: names.publicKeySchema,
    userId: names.userIdSchema,
    scope: names.scopeSchema,
    did: names.didSchema,
    kemPublicKeyB64u: kemPublicKeySchema,
    kemKeyId: z.string().length(32),
  }),
  'inception-appended': envelopeOf(inceptionApi.inceptionAppendedSchema),
  'inception-events': envelopeOf(inceptionApi.inceptionEventsSchema),
  'inception-head': envelopeOf(inceptionApi.inceptionHeadAnswerSchema),
  'inception-head-request': inceptionApi.inceptionHeadRequestSchema,
  indexing: chainApi.indexingSchema,
  'internal-health': internal.internalHealthSchema,
  'join-request': rendezvous.joinRequestSchema,
  joined: envelopeOf(rendezvous.joinedSchema),
  'key-agreement': signedKeyAgreementSchema,
  'key-history': envelopeOf(rotation.keyHistorySchema),
  'key-scope': internal.keyScopeSchema,
  'publish-package': directory.publishPackageSchema,
  'published-package': envelopeOf(directory.publishedSchema),
  'directory-page': envelopeOf(directory.directoryPageSchema),
  'reserve-prekey': directory.reservePrekeySchema,
  'reserved-prekey': envelopeOf(directory.reservedPrekeySchema),
  'prekey-pool': envelopeOf(directory.poolSchema),
  'directory-settings': directorySettingsSchema,
  'package-revocation': signedPackageRevocationSchema,
  'directory-checkpoint': envelopeOf(transparency.checkpointAnswerSchema),
  'leaf-proof': envelopeOf(transparency.inclusionAnswerSchema),
  'account-proof': envelopeOf(transparency.accountAnswerSchema),
  'log-audit': envelopeOf(transparency.auditAnswerSchema),
  'account-audit': envelopeOf(transparency.accountAuditSchema),
  'log-list': envelopeOf(logList.logListAnswerSchema),
  'log-entries': envelopeOf(transparency.entriesAnswerSchema),
  cosignature: transparency.signedCosignatureSchema,
  'guardian-request': guardians.guardianAttestSchema,
  'guardian-attestation': guardians.guardianAttestSchema,
  'guardian-status': envelopeOf(guardians.guardianStatusSchema),
  'epoch-act': operator.keysOperatorActSchema,
  'epoch-member-act': operator.keysOperatorActSchema,
  'current-epoch': epochs.currentEpochSchema,
  'no-epoch': epochs.currentEpochSchema,
  'epoch-member': envelopeOf(epochs.epochMemberSchema),
  'inventory-upload': keyCapabilities.inventoryUploadSchema,
  inventory: envelopeOf(keyCapabilities.inventorySchema),
  'directory-capabilities': keyCapabilities.directoryCapabilitiesSchema,
  'keys-health': health.directoryHealthSchema,
  'keys-retired': envelope.errorEnvelopeSchema,
  'alarm-line': z.strictObject({ ...LINE, alarm: z.string(), subject: z.string() }),
  'delay-line': z.looseObject({ ...LINE, delayed: z.string() }),
  queues: health.queuesSchema,
  'log-line': z.looseObject({ requestId: z.uuid(), route: z.string(), status: z.int(), milliseconds: z.int() }),
  'nonce-consumed': internal.consumedSchema,
  offer: envelopeOf(rendezvous.offerSchema),
  'offer-cancelled': envelopeOf(rendezvous.cancelledSchema),
  'offer-state': envelopeOf(rendezvous.offerStateSchema),
  'operator-act': operator.operatorActSchema,
  'hold-state': envelopeOf(holdStateSchema),
  'hold-pending': envelopeOf(holdStateSchema),
  'operator-act-answer': envelopeOf(operator.operatorActAnswerSchema),
  officers: organizations.officersAnswerSchema,
  'officers-record': internal.officersRecordSchema,
  'org-appended': organizations.orgAppendedSchema,
  'org-event': orgEventSchema,
  'org-memberships': organizations.membershipsPageSchema,
  'org-verify': organizations.orgVerifySchema,
  'org-inception': inception.inceptOrgSchema,
  'org-officers': inception.rotateOfficersSchema,
  'pay-banner': envelopeOf(quota.payBannerSchema),
  'pay-offers': envelopeOf(offers.offerListSchema),
  'intent-request': intents.intentRequestSchema,
  intent: envelopeOf(intents.intentSchema),
  entitlement: envelopeOf(entitlements.entitlementSchema),
  'plan-change': entitlements.planChangeSchema,
  'already-subscribed': envelope.errorEnvelopeSchema,
  renewal: entitlements.renewalRequestSchema,
  'redeem-entitlement': entitlements.redeemEntitlementSchema,
  'entitlement-code-act': operator.payOperatorActSchema,
  'licence-act': operator.payOperatorActSchema,
  message: signedMessageSchema,
  'grant-end-act': operator.payOperatorActSchema,
  'dead-letter-act': operator.payOperatorActSchema,
  'disputes-read': reads.signedDisputeReadSchema,
  disputes: envelopeOf(reads.disputePageSchema),
  invites: envelopeOf(invitePageSchema),
  'import-commitment': imports.historicalCommitmentSchema,
  'import-consent': imports.ownerlessConsentSchema,
  imported: provenanceOf(imports.importedSchema),
  'invite-act': operator.operatorActSchema,
  'grant-list': envelopeOf(reads.grantListSchema),
  'operator-takedowns': envelopeOf(reads.operatorTakedownPageSchema),
  'dead-letters-read': deadLetters.signedDeadLetterReadSchema,
  'dead-letters': envelopeOf(deadLetters.deadLetterPageSchema),
  meters: envelopeOf(quota.metersSchema),
  consume: quota.consumeSchema,
  'quota-lease': quotaLeaseSchema,
  'quota-receipt': envelopeOf(quota.quotaReceiptSchema),
  'quota-exhausted': envelope.quotaExhaustedSchema,
  refund: quota.refundSchema,
  delta: quota.deltaSchema,
  reserve: quota.reserveSchema,
  reservation: quota.reservationSchema,
  'reserve-exhausted': quota.reserveAnswerSchema,
  'object-commits': health.objectCommitsSchema,
  'pay-health': health.livenessSchema,
  'pay-retired': envelope.errorEnvelopeSchema,
  'payload-answer': envelopeOf(chainApi.payloadAnswerSchema),
  'previous-key': internal.authoritySchema.shape.previousKeys.element,
  'provenance-error': envelope.provenanceErrorSchema,
  'provenance-health': envelopeOf(health.provenanceHealthSchema).extend({ requestId: z.uuid() }),
  'provenance-unhealthy': envelope.provenanceErrorSchema,
  'refusal-clock': envelope.errorEnvelopeSchema,
  'refusal-did': envelope.didErrorSchema,
  'refusal-unauthorized': envelope.errorEnvelopeSchema,
  'register-request': registerRequestSchema,
  registration: registrationSchema,
  resolution: did.resolutionResultSchema,
  'resolution-deactivated': did.resolutionResultSchema,
  'resolution-not-found': did.resolutionResultSchema,
  'resolution-proof': resolutionProofSchema,
  'root-key-version': internal.rootKeyVersionSchema,
  'rotated-metadata': did.resolutionResultSchema.shape.didDocumentMetadata,
  'rotation-approval': operator.operatorActSchema,
  'rotation-cancel': rotation.signedFreezeSchema,
  'rotation-cosign': rotation.signedCosignSchema,
  'rotation-current': envelopeOf(rotation.currentRotationSchema),
  'rotation-freeze': rotation.signedFreezeSchema,
  'rotation-noted': z.strictObject({ did: names.didSchema, rotationId: hex, epoch: z.int(), recordedAt: z.int() }),
  'rotation-record': envelopeOf(rotation.rotationRecordSchema),
  'rotation-rehearsal': rotation.signedRotationRehearsalSchema,
  'rotation-rehearsed': envelopeOf(rotation.rehearsalAnswerSchema),
  'rotation-request': rotation.signedRotationRequestSchema,
  'rotation-summary': rotation.rotationSummarySchema,
  'root-answer': envelopeOf(chainApi.rootAnswerSchema),
  'route-refusal': envelope.structuredErrorSchema,
  'seal-context': z.strictObject({ type: z.literal('svc/seal/v1'), code: rendezvous.codeSchema, deviceId: z.string() }),
  'seal-request': rendezvous.sealRequestSchema,
  sealed: envelopeOf(rendezvous.sealedSchema),
  'sealed-contents': rendezvous.sealedContentsSchema,
  'shortened-chain': z.array(chain.chainHeadSchema),
  'sibling-error': envelope.errorEnvelopeSchema,
  'stale-inception-head': envelope.errorEnvelopeSchema,
  'stale-head': envelope.errorEnvelopeSchema,
  'put-registration': putRegistrationSchema,
  'structured-error': envelope.structuredErrorSchema,
  'too-many-items': envelope.structuredErrorSchema,
  'sync-status': envelopeOf(discovery.syncStatusSchema),
  'tier-refusal': envelope.tierErrorSchema,
  vectors: z.record(z.string(), z.string()),
  'verify-hash': verifyRequestSchema,
  'verify-message': verifyRequestSchema,
  'verify-result': verifyResultSchema,
  'add-receipt': assets.addReceiptSchema,
  anchor: anchors.anchorRecordSchema,
  'anchor-bodies': anchorFeed.anchorBodiesSchema,
  'anchor-bundle': anchorLog.anchorBundleSchema,
  'anchor-entry': anchorLog.anchorEntrySchema,
  'anchor-log-opening': openEntrySchema,
  'anchor-publication': anchors.signedPublicationSchema,
  eligibility: anchors.eligibilitySchema,
  'governance-policy': governance.governancePolicySchema,
  licence: envelopeOf(licences.licenceSchema),
  'asset-export': assets.assetExportSchema,
  'asset-mint-statement': assetStatements.mintStatementSchema,
  'asset-transfer-statement': assetStatements.transferStatementSchema,
  'governance-policy-statement': governance.policyStatementSchema,
  'mint-asset': assets.mintAssetSchema,
  'pin-request': pinning.pinRequestSchema,
  pinned: envelopeOf(pinning.pinnedSchema),
  pins: envelopeOf(pinning.pinPageSchema),
  'publish-policy': governance.publishPolicySchema,
  'redeem-code': licences.redeemSchema,
  'state-proof': anchors.stateProofSchema,
  'anchor-submission': anchorSubmissionSchema,
  'submit-anchor': submitAnchorSchema,
  'transfer-asset': assets.transferAssetSchema,
}
