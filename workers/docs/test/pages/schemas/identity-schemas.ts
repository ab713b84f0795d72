import { exportedKeysSchema, keySetSchema } from '@svc/client/backup'
import { base64urlOf } from '@svc/protocol/base/base64url'
import * as device from '@svc/protocol/base/device'
import * as names from '@svc/protocol/base/identity'
import { kemPublicKeySchema, signedKeyAgreementSchema, x25519KeySchema } from '@svc/protocol/base/key-agreement'
import * as chainApi from '@svc/protocol/chain/api'
import * as chain from '@svc/protocol/chain/chain'
import * as deactivation from '@svc/protocol/chain/deactivation'
import { holdStateSchema } from '@svc/protocol/chain/hold'
import * as rehearsal from '@svc/protocol/chain/rehearsal'
import * as rotation from '@svc/protocol/chain/rotation'
import * as inceptionApi from '@svc/protocol/devices/api'
import * as inception from '@svc/protocol/devices/inception'
import * as rendezvous from '@svc/protocol/devices/rendezvous'
import * as did from '@svc/protocol/did/did'
import { orgEventSchema } from '@svc/protocol/did/org-bindings'
import * as organizations from '@svc/protocol/did/organizations'
import { putRegistrationSchema, registerRequestSchema, registrationSchema } from '@svc/protocol/did/registration'
import { resolutionProofSchema } from '@svc/protocol/did/resolution-statement'
import { envelopeOf } from '@svc/protocol/http/envelope'
import * as operator from '@svc/protocol/operator/acts'
import * as z from 'zod'

const url = z.url()
const hex = names.userIdSchema

/** The schemas of the examples about identities: chain, rotation, devices, organizations and resolution. */
export const IDENTITY_SCHEMAS: Record<string, z.ZodType> = {
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
  'local-wrap': z.strictObject({
    type: z.literal('svc/local-wrap/v1'),
    application: z.string(),
    saltB64u: base64urlOf(32),
    nonceB64u: base64urlOf(12),
    ciphertextB64u: base64urlOf(48),
  }),
  'block-v2': chain.chainBlockV2Schema,
  'block-v3': chain.chainBlockV3Schema,
  'blocks-answer': envelopeOf(chainApi.blocksAnswerSchema),
  confirmation: z.strictObject({
    type: z.literal('svc/pairing-confirmation/v1'),
    code: rendezvous.codeSchema,
    rootPublicKeyB64u: names.publicKeySchema,
    accepted: device.deviceAcceptanceSchema.omit({ issuedAt: true }),
  }),
  'join-proof': z.strictObject({
    type: z.literal('svc/join-proof/v1'),
    code: rendezvous.codeSchema,
    rootPublicKeyB64u: names.publicKeySchema,
    acceptance: device.signedDeviceAcceptanceSchema,
  }),
  'offer-proof': z.strictObject({
    type: z.literal('svc/offer-proof/v1'),
    realm: z.literal('https://core.example'),
    did: names.didSchema,
    rootPublicKeyB64u: names.publicKeySchema,
  }),
  'device-batch': inception.deviceBatchSchema,
  'device-confirmed': envelopeOf(inceptionApi.deviceConfirmedSchema),
  'device-event': inception.changeDeviceSchema,
  'device-record': device.deviceRecordSchema,
  deactivated: envelopeOf(deactivation.deactivatedSchema),
  deactivation: deactivation.signedDeactivationSchema,
  delivered: envelopeOf(rendezvous.deliveredSchema),
  'key-export': exportedKeysSchema,
  'key-set': keySetSchema,
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
    x25519B64u: x25519KeySchema,
    kemKeyId: z.string().length(32),
  }),
  'inception-appended': envelopeOf(inceptionApi.inceptionAppendedSchema),
  'inception-events': envelopeOf(inceptionApi.inceptionEventsSchema),
  'inception-head': envelopeOf(inceptionApi.inceptionHeadAnswerSchema),
  'inception-head-request': inceptionApi.inceptionHeadRequestSchema,
  indexing: chainApi.indexingSchema,
  'join-request': rendezvous.joinRequestSchema,
  joined: envelopeOf(rendezvous.joinedSchema),
  'key-agreement': signedKeyAgreementSchema,
  'key-history': envelopeOf(rotation.keyHistorySchema),
  'open-offer': rendezvous.openOfferSchema,
  offer: envelopeOf(rendezvous.offerSchema),
  offerer: envelopeOf(rendezvous.offererSchema),
  'offer-cancelled': envelopeOf(rendezvous.cancelledSchema),
  'offer-state': envelopeOf(rendezvous.offerStateSchema),
  officers: organizations.officersAnswerSchema,
  'org-appended': organizations.orgAppendedSchema,
  'org-event': orgEventSchema,
  'org-memberships': organizations.membershipsPageSchema,
  'org-verify': organizations.orgVerifySchema,
  'org-inception': inception.inceptOrgSchema,
  'org-officers': inception.rotateOfficersSchema,
  'payload-answer': envelopeOf(chainApi.payloadAnswerSchema),
  'register-request': registerRequestSchema,
  registration: registrationSchema,
  resolution: did.resolutionResultSchema,
  'resolution-deactivated': did.resolutionResultSchema,
  'resolution-not-found': did.resolutionResultSchema,
  'resolution-proof': resolutionProofSchema,
  'rotated-metadata': did.resolutionResultSchema.shape.didDocumentMetadata,
  'rotation-approval': operator.operatorActSchema,
  'rotation-cancel': rotation.signedFreezeSchema,
  'rotation-cosign': rotation.signedCosignSchema,
  'rotation-current': envelopeOf(rotation.currentRotationSchema),
  'rotation-successor-freeze': rotation.signedFreezeSchema,
  'rotation-freeze': rotation.signedFreezeSchema,
  'rotation-noted': z.strictObject({ did: names.didSchema, rotationId: hex, epoch: z.int(), recordedAt: z.int() }),
  'rotation-record': envelopeOf(rotation.rotationRecordSchema),
  'rotation-rehearsal': rehearsal.signedRotationRehearsalSchema,
  'rotation-rehearsed': envelopeOf(rehearsal.rehearsalAnswerSchema),
  'rotation-request': rotation.signedRotationRequestSchema,
  'rotation-summary': rotation.rotationSummarySchema,
  'root-answer': envelopeOf(chainApi.rootAnswerSchema),
  'seal-context': z.strictObject({ type: z.literal('svc/seal/v1'), code: rendezvous.codeSchema, deviceId: z.string() }),
  'seal-request': rendezvous.sealRequestSchema,
  sealed: envelopeOf(rendezvous.sealedSchema),
  'sealed-contents': rendezvous.sealedContentsSchema,
  'shortened-chain': z.array(chain.chainHeadSchema),
  'put-registration': putRegistrationSchema,
  'hold-state': envelopeOf(holdStateSchema),
  'hold-pending': envelopeOf(holdStateSchema),
}
