import type * as z from 'zod'
import type { StatementType } from '../base/statement.ts'

/** The statements that identities and devices sign, with their schemas. All others are for services, operators and witnesses. */
export const OWNED_STATEMENTS = {
  'svc/anchor-submission/v1': async () => (await import('../ledger/anchor-submission.ts')).anchorSubmissionSchema,
  'svc/asset-mint/v1': async () => (await import('../ledger/asset-statements.ts')).mintStatementSchema,
  'svc/asset-transfer/v1': async () => (await import('../ledger/asset-statements.ts')).transferStatementSchema,
  'svc/capsule/v1': async () => (await import('../provenance/capsules.ts')).capsuleSchema,
  'svc/delivery/v1': async () => (await import('../devices/rendezvous.ts')).deliverySchema,
  'svc/device-acceptance/v1': async () => (await import('../base/device.ts')).deviceAcceptanceSchema,
  'svc/device-agreement/v1': async () => (await import('../devices/agreement.ts')).deviceAgreementSchema,
  'svc/device-attestation/v1': async () => (await import('../devices/inception.ts')).deviceAttestationSchema,
  'svc/device-credential/v1': async () => (await import('../keys/packages.ts')).deviceCredentialSchema,
  'svc/device-event/v1': async () => (await import('../devices/inception.ts')).deviceEventSchema,
  'svc/did-deactivate/v1': async () => (await import('../chain/deactivation.ts')).deactivationSchema,
  'svc/governance-policy/v1': async () => (await import('../ledger/governance.ts')).policyStatementSchema,
  'svc/guardian-attestation/v1': async () => (await import('../keys/guardians.ts')).guardianAttestationSchema,
  'svc/guardian-request/v1': async () => (await import('../keys/guardians.ts')).guardianRequestSchema,
  'svc/key-agreement/v1': async () => (await import('../base/key-agreement.ts')).keyAgreementSchema,
  'svc/key-package/v1': async () => (await import('../keys/packages.ts')).keyPackageSchema,
  'svc/message/v1': async () => (await import('./message.ts')).messageSchema,
  'svc/note-gc/v1': async () => (await import('../notes/api.ts')).collectStatementSchema,
  'svc/note-rebuild/v1': async () => (await import('../notes/api.ts')).rebuildStatementSchema,
  'svc/note/v2': async () => (await import('../notes/notes.ts')).noteStatementSchema,
  'svc/officer-acceptance/v1': async () => (await import('../devices/officers.ts')).officerAcceptanceSchema,
  'svc/org-acceptance/v1': async () => (await import('../did/org-bindings.ts')).orgAcceptanceSchema,
  'svc/org-binding/v1': async () => (await import('../did/org-bindings.ts')).orgBindingSchema,
  'svc/org-inception/v1': async () => (await import('../devices/inception.ts')).orgInceptionSchema,
  'svc/org-officers/v1': async () => (await import('../devices/inception.ts')).orgOfficersSchema,
  'svc/package-revocation/v1': async () => (await import('../keys/packages.ts')).packageRevocationSchema,
  'svc/prekey-batch/v1': async () => (await import('../keys/packages.ts')).prekeyBatchSchema,
  'svc/rotation-cancel/v1': async () => (await import('../chain/rotation.ts')).rotationCancelSchema,
  'svc/rotation-cosign/v1': async () => (await import('../chain/rotation.ts')).rotationCosignSchema,
  'svc/rotation-freeze/v1': async () => (await import('../chain/rotation.ts')).rotationFreezeSchema,
  'svc/rotation-rehearsal/v1': async () => (await import('../chain/rehearsal.ts')).rotationRehearsalSchema,
  'svc/rotation-request/v1': async () => (await import('../chain/rotation.ts')).rotationRequestSchema,
} as const satisfies Partial<Record<StatementType, () => Promise<z.ZodType>>>

export type OwnedStatement = keyof typeof OWNED_STATEMENTS

export function isOwnedStatement(type: unknown): type is OwnedStatement {
  return typeof type === 'string' && Object.hasOwn(OWNED_STATEMENTS, type)
}
