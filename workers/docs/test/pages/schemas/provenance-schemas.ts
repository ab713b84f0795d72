import * as envelope from '@svc/protocol/http/envelope'
import * as health from '@svc/protocol/http/health'
import * as operator from '@svc/protocol/operator/acts'
import * as imports from '@svc/protocol/operator/imports'
import { signedContentTakedownSchema, signedTakedownSchema, takedownPageSchema } from '@svc/protocol/operator/takedown'
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
import * as z from 'zod'

const { envelopeOf } = envelope
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

/** The schemas of the examples about provenance: capsules, searches, commitments and takedowns. */
export const PROVENANCE_SCHEMAS: Record<string, z.ZodType> = {
  'anchor-status': provenanceOf(provenanceApi.anchorStatusSchema),
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
  'import-commitment': imports.historicalCommitmentSchema,
  'import-consent': imports.ownerlessConsentSchema,
  imported: provenanceOf(imports.importedSchema),
  'provenance-error': envelope.provenanceErrorSchema,
  'provenance-health': envelopeOf(health.provenanceHealthSchema).extend({ requestId: z.uuid() }),
  'provenance-unhealthy': envelope.provenanceErrorSchema,
  'verify-hash': verifyRequestSchema,
  'verify-message': verifyRequestSchema,
  'verify-result': verifyResultSchema,
}
