/**
 * Signed statements (workers/docs/pages/developer/statements.md): every detached signature except assertions and
 * chain blocks.
 *
 * A statement is a JSON object whose `type` gives its meaning. The signature is pure ML-DSA-65 with an empty context
 * over the statement's JCS bytes. No two kinds of statement share a `type`, so a signature made for one purpose cannot
 * be replayed for another. Each names its `realm`, so that it cannot be replayed at another deployment either.
 *
 * @module
 */

import * as z from 'zod'
import { mlDsa65 } from '#pqc'
import { bytesOf, encodeBase64url } from './base64url.ts'
import { hashHex, hashHexAsync } from './hash.ts'
import { signatureSchema } from './identity.ts'
import { knownInceptionSchema } from './inception-head.ts'
import { type Json, jcsBytes } from './jcs.ts'
import { pure } from './pure.ts'
import { type Realms, realmSchema } from './realm.ts'

/** Every statement type of the platform. Add new types here first; a test rejects two schemas with the same type. */
export const STATEMENT_TYPES = [
  'svc/anchor-checkpoint/v1',
  'svc/anchor-publication/v2',
  'svc/anchor-submission/v1',
  'svc/asset-mint/v1',
  'svc/asset-transfer/v1',
  'svc/consent-snapshot/v1',
  'svc/capsule/v1',
  'svc/delivery/v1',
  'svc/device-acceptance/v1',
  'svc/device-agreement/v1',
  'svc/device-attestation/v1',
  'svc/device-credential/v1',
  'svc/device-event/v1',
  'svc/did-deactivate/v1',
  'svc/event-challenge/v1',
  'svc/event-page/v1',
  'svc/governance-policy/v1',
  'svc/guardian-attestation/v1',
  'svc/guardian-request/v1',
  'svc/key-agreement/v1',
  'svc/key-package/v1',
  'svc/log-list/v1',
  'svc/message/v1',
  'svc/note-deletion/v1',
  'svc/note-gc/v1',
  'svc/note-manifest/v1',
  'svc/note-rebuild/v1',
  'svc/note/v2',
  'svc/officer-acceptance/v1',
  'svc/operator-chain-reindex/v1',
  'svc/operator-consent-settle/v1',
  'svc/operator-dead-letter/v1',
  'svc/operator-dead-letters/v1',
  'svc/operator-disputes/v1',
  'svc/operator-entitlement-code/v1',
  'svc/operator-entitlement-code-withdraw/v1',
  'svc/operator-epoch/v1',
  'svc/operator-epoch-withdraw/v1',
  'svc/operator-governance-policy/v1',
  'svc/operator-grant-end/v1',
  'svc/operator-grants/v1',
  'svc/operator-invite-approve/v1',
  'svc/operator-invite-decline/v1',
  'svc/operator-invite-forget/v1',
  'svc/operator-import-commitments/v1',
  'svc/operator-import-consent/v1',
  'svc/operator-invites/v1',
  'svc/operator-licence/v1',
  'svc/operator-rebuild-anchors/v1',
  'svc/operator-rebuild-objects/v1',
  'svc/operator-roll-log/v1',
  'svc/operator-reindex/v1',
  'svc/operator-rotation-approve/v1',
  'svc/operator-takedown/v1',
  'svc/operator-takedowns/v1',
  'svc/operator-texts/v1',
  'svc/org-acceptance/v1',
  'svc/org-binding/v1',
  'svc/org-inception/v1',
  'svc/org-officers/v1',
  'svc/package-revocation/v1',
  'svc/prekey-batch/v1',
  'svc/prekey-reservation/v1',
  'svc/quota-lease/v1',
  'svc/quota-receipt/v1',
  'svc/resolution/v1',
  'svc/rotation-cancel/v1',
  'svc/rotation-cosign/v1',
  'svc/rotation-freeze/v1',
  'svc/rotation-rehearsal/v1',
  'svc/rotation-request/v1',
  'svc/transparency-checkpoint/v1',
  'svc/transparency-cosignature/v1',
  'svc/withheld/v1',
] as const
export type StatementType = (typeof STATEMENT_TYPES)[number]

/** A statement on the wire: the object and the signature over its canonical bytes. */
export interface Signed<S> {
  readonly statement: S
  readonly signatureB64u: string
}

export const issuedAtSchema = /* @__PURE__ */ pure(() =>
  z.int().min(0).meta({ description: 'When it was signed, epoch milliseconds', example: 1_790_000_000_000 }),
)

export const NONCE_PATTERN = /^[A-Za-z0-9_-]{16,64}$/
export const statementNonceSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(NONCE_PATTERN, 'must be 16 to 64 base64url characters')
    .meta({ description: 'Single-use: a second statement with the same nonce is rejected' }),
)

/** Builds the schema of one kind of statement. Strict: an unknown member would be signed without being checked. */
export function statementSchema<T extends StatementType, S extends z.core.$ZodLooseShape>(type: T, shape: S) {
  return z.strictObject({ type: z.literal(type), realm: realmSchema, ...shape, issuedAt: issuedAtSchema })
}

/**
 * Builds the schema of a statement that a root key or a device signs. The member `inception` names the newest event
 * that the signer knew. `order.test.ts` lists the few statements without it.
 */
export function ownedStatementSchema<T extends StatementType, S extends z.core.$ZodLooseShape>(type: T, shape: S) {
  return statementSchema(type, { ...shape, inception: knownInceptionSchema })
}

/** Builds the schema of a statement with its signature. */
export function signedSchema<S extends z.ZodType>(statement: S) {
  return z.strictObject({ statement, signatureB64u: signatureSchema })
}

/** The bytes a statement's signature covers. */
function statementBytes(statement: object): Uint8Array {
  return jcsBytes(statement as Json)
}

export async function signStatement<S extends { type: StatementType; realm: string }>(
  statement: S,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<Signed<S>> {
  return { statement, signatureB64u: encodeBase64url(await sign(statementBytes(statement))) }
}

/** SHA3-384 hex of a statement's canonical bytes; identifies the statement. */
export function statementHash(statement: object): string {
  return hashHex(statementBytes(statement))
}

/** The same, native where the runtime has it. */
export function statementHashAsync(statement: object): Promise<string> {
  return hashHexAsync(statementBytes(statement))
}

/** Whether the statement was signed by this key, for one of these realms. `signed` must have passed its schema. */
export async function verifyStatement(
  signed: Signed<object>,
  expectedPublicKey: Uint8Array,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement, signatureB64u } = signed
  if (!('realm' in statement) || typeof statement.realm !== 'string') return false
  if (!expectedRealms.includes(statement.realm)) return false
  return mlDsa65.verify(expectedPublicKey, statementBytes(statement), bytesOf(signatureB64u))
}
