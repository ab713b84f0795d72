import * as envelope from '@svc/protocol/http/envelope'
import * as health from '@svc/protocol/http/health'
import * as keyCapabilities from '@svc/protocol/keys/capabilities'
import { signedCosignatureSchema } from '@svc/protocol/keys/cosignature'
import * as directory from '@svc/protocol/keys/directory'
import * as epochs from '@svc/protocol/keys/epochs'
import * as guardians from '@svc/protocol/keys/guardians'
import { signedPackageRevocationSchema } from '@svc/protocol/keys/packages'
import { directorySettingsSchema } from '@svc/protocol/keys/reserving'
import * as transparency from '@svc/protocol/keys/transparency'
import * as logList from '@svc/protocol/merkle/log-list'
import * as operator from '@svc/protocol/operator/acts'
import type * as z from 'zod'

const { envelopeOf } = envelope

/** The schemas of the examples about the key directory, its log and epochs. */
export const KEY_DIRECTORY_SCHEMAS: Record<string, z.ZodType> = {
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
  cosignature: signedCosignatureSchema,
  'guardian-request': guardians.guardianAttestSchema,
  'guardian-attestation': guardians.guardianAttestSchema,
  'guardian-status': envelopeOf(guardians.guardianStatusSchema),
  'epoch-act': operator.keysOperatorActSchema,
  'current-epoch': epochs.currentEpochSchema,
  'no-epoch': epochs.currentEpochSchema,
  'epoch-member': envelopeOf(epochs.epochMemberSchema),
  'inventory-upload': keyCapabilities.inventoryUploadSchema,
  inventory: envelopeOf(keyCapabilities.inventorySchema),
  'directory-capabilities': keyCapabilities.directoryCapabilitiesSchema,
  'keys-health': health.directoryHealthSchema,
  'keys-retired': envelope.errorEnvelopeSchema,
}
