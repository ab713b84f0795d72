import * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { didOf, userIdOfKey } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import { type SignedRotationRequest, signedRotationRequestSchema } from '#protocol/chain/rotation'
import { verifyRotation } from '#protocol/chain/succession'
import { officerApprovalSchema, signedOfficerAcceptanceSchema } from '#protocol/devices/officers'
import { signedOrgAcceptanceSchema } from '#protocol/did/org-bindings'
import { unverified } from '../verification/verification-error.ts'
import { formed } from './form.ts'
import { expectedRealms, type Means } from './means.ts'
import { type Check, checked, type Need, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const acceptedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/org-accepted/v1'),
    acceptance: signedOfficerAcceptanceSchema.nullable(),
    approval: officerApprovalSchema.nullable(),
  }),
)
const joinedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ format: z.literal('svc/org-joined/v1'), acceptance: signedOrgAcceptanceSchema }),
)
const schema = /* @__PURE__ */ z.union([signedRotationRequestSchema, acceptedSchema, joinedSchema])

/** What an identity signed for others to use: the request of a rotation, or that it accepts an office or a membership. */
export async function judgeStatement(value: unknown, means: Means): Promise<Verdict> {
  const given = formed(schema, value)
  const realms = expectedRealms(means)
  const [signed, approval] =
    'format' in given ? [given.acceptance, 'approval' in given ? given.approval : null] : [given, null]
  // An approval signs the list of officers, which is another file.
  const approvals = approval ? [unchecked('approval', { did: approval.officerDid })] : []
  if (!signed) return verdictOf('statement', approval?.officerDid ?? null, approvals, { needs: 'whole' })
  const { type, issuedAt: at, realm } = signed.statement
  const did = signerOf(signed.statement)
  const facts = { at, subject: 'orgDid' in signed.statement ? signed.statement.orgDid : null }
  if (!realms) return verdictOf('statement', did, [unchecked('act', { type })], { ...facts, needs: 'realm' })
  const refused = (reason: 'wrong_realm' | 'wrong_identity', message: string) =>
    unverified(SUBJECTS[type], reason, message, { evidence: signed })
  if (!realms.includes(realm)) throw refused('wrong_realm', `It was signed for ${realm}`)
  if (means.expectedDid !== null && means.expectedDid !== did)
    throw refused('wrong_identity', `It was signed as ${did}`)
  const { checks, needs } =
    'newKeySignatureB64u' in signed ? await byRotation(signed, means, realms) : await byKey(signed, did, means, realms)
  const clock = needs === null ? [checked('signed', { at })] : []
  return verdictOf('statement', did, [...checks, ...clock, ...approvals], { ...facts, needs })
}

const SUBJECTS = {
  'svc/rotation-request/v1': 'rotation',
  'svc/officer-acceptance/v1': 'roster',
  'svc/org-acceptance/v1': 'membership',
} as const

type Acceptance = z.infer<typeof signedOfficerAcceptanceSchema> | z.infer<typeof signedOrgAcceptanceSchema>

function signerOf(statement: (SignedRotationRequest | Acceptance)['statement']): string {
  if ('officerDid' in statement) return statement.officerDid
  return 'memberDid' in statement ? statement.memberDid : statement.did
}

interface Found {
  readonly checks: readonly Check[]
  readonly needs: Need | null
}

/** The key before is not in the request; the new one is. */
async function byRotation(request: SignedRotationRequest, { client }: Means, realms: Realms): Promise<Found> {
  const { statement, newKeySignatureB64u: signatureB64u } = request
  const { type, did, epoch, newPublicKeyB64u } = statement
  const fault = (reason: 'invalid_signature' | 'unknown_epoch', message: string) =>
    unverified('rotation', reason, message, { where: { epoch }, evidence: request })
  if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(newPublicKeyB64u), realms)))
    throw fault('invalid_signature', 'The new key did not sign the request')
  const newKey = checked('new_key', { epoch })
  if (!client) return { checks: [newKey, unchecked('act_key', { type })], needs: 'key_history' }
  const ending = (await client.keyHistory.of(did))[epoch - 1]
  if (!ending) throw fault('unknown_epoch', `The identity has no key of epoch ${epoch - 1}`)
  if (!(await verifyRotation(request, bytesOf(ending.publicKeyB64u), realms)))
    throw fault('invalid_signature', 'The root key did not sign the request')
  return { checks: [checked('act', { type }), newKey], needs: null }
}

/** By the key that it carries, which must be one of the identity. */
async function byKey(signed: Acceptance, did: string, { client }: Means, realms: Realms): Promise<Found> {
  const { publicKeyB64u, ...stated } = signed
  const { type } = signed.statement
  const refused = (reason: 'invalid_signature' | 'wrong_key', message: string) =>
    unverified(SUBJECTS[type], reason, message, { evidence: signed })
  if (!(await verifyStatement(stated, bytesOf(publicKeyB64u), realms)))
    throw refused('invalid_signature', 'The key in it did not sign it')
  if (didOf(userIdOfKey(publicKeyB64u)) === did) return { checks: [checked('act', { type })], needs: null }
  if (!client) return { checks: [unchecked('act_key', { type })], needs: 'key_history' }
  const keys = await client.keyHistory.of(did)
  if (keys.some((key) => key.publicKeyB64u === publicKeyB64u))
    return { checks: [checked('act', { type })], needs: null }
  throw refused('wrong_key', 'The key in it never belonged to the identity')
}
