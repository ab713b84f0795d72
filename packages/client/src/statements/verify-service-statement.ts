import * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { signatureSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import { keysAt, type ServiceKey, type ServiceKeyName } from '#protocol/http/service-keys'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** What services sign for others to keep, and with which of their keys. */
const SIGNED_BY: Readonly<Record<string, ServiceKeyName>> = {
  'svc/note-deletion/v1': { service: 'core', use: 'receipt' },
  'svc/note-manifest/v1': { service: 'core', use: 'receipt' },
  'svc/prekey-reservation/v1': { service: 'keys', use: 'reservation' },
  'svc/quota-receipt/v1': { service: 'pay', use: 'quota-receipt' },
  'svc/resolution/v1': { service: 'did', use: 'resolution' },
}

const receiptSchema = /* @__PURE__ */ pure(() =>
  z.looseObject({
    statement: z.looseObject({ type: z.string(), realm: z.string(), issuedAt: z.int() }),
    signatureB64u: signatureSchema,
  }),
)
export type ServiceStatement = z.infer<typeof receiptSchema>

/**
 * Verifies a receipt, a manifest or the proof of a resolution that somebody kept: a key of the service signed it, one
 * that could sign at that time. `keys` are those of a pin. Offline. What it says is for the caller to compare.
 */
export async function verifyServiceStatement(
  signed: unknown,
  keys: readonly ServiceKey[],
  expectedRealms: Realms,
): Promise<ServiceStatement> {
  checkCall('verifyServiceStatement', [signed, keys, expectedRealms], ['signed?', 'keys', 'expectedRealms'])
  const read = readAnswer(receiptSchema, signed)
  const { type, realm, issuedAt } = read.statement
  const refused = (
    reason: 'malformed' | 'no_key' | 'wrong_key' | 'wrong_realm' | 'invalid_signature',
    message: string,
  ) => unverified('receipt', reason, message, { evidence: read })
  const name = Object.hasOwn(SIGNED_BY, type) ? SIGNED_BY[type] : undefined
  if (!name) throw refused('malformed', `No service signs ${type} as a receipt`)
  if (!expectedRealms.includes(realm)) throw refused('wrong_realm', `The receipt is for ${realm}`)
  const possible = keysAt(keys, name, issuedAt)
  if (possible.length === 0) throw refused('no_key', `No key of ${name.service} for ${name.use} is known at that time`)
  const named = read['publicKeyB64u']
  if (typeof named === 'string' && !possible.some(({ publicKeyB64u }) => publicKeyB64u === named))
    throw refused('wrong_key', 'The receipt names a key that the service did not sign with at that time')
  for (const { publicKeyB64u } of possible)
    if (await verifyStatement(read, bytesOf(publicKeyB64u), expectedRealms)) return read
  throw refused('invalid_signature', `The ${name.service} service did not sign the receipt`)
}

/** `verifyServiceStatement` as a result. */
export function safeVerifyServiceStatement(
  ...given: Parameters<typeof verifyServiceStatement>
): Promise<Verified<ServiceStatement>> {
  return safely(() => verifyServiceStatement(...given))
}
