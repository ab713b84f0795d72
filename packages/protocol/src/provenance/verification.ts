/** Request and response of `/api/pqc/verify` (workers/docs/pages/developer/core.md). */

import * as z from 'zod'
import { hashMlDsa65, mlDsa65 } from '#pqc'
import { base64urlSchema, bytesOf } from '../base/base64url.ts'
import { HASH_ALG, SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'

/** What the 256 KiB body cap allows in base64url (4/3). Below it, a wrong length yields `valid: false`, not an error. */
const MAX_MESSAGE_BYTES = 192 * 1024

export const verifyRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      alg: z.unknown().optional().meta({ description: '`ml-dsa-65`; missing or unknown yields `valid: false`' }),
      messageB64u: base64urlSchema(MAX_MESSAGE_BYTES).optional(),
      hashAlg: z.unknown().optional().meta({ description: 'Must be `sha3-384` if given with `hashB64u`' }),
      hashB64u: base64urlSchema(MAX_MESSAGE_BYTES).optional().meta({ description: 'HashML-DSA: a SHA3-384 digest' }),
      signatureB64u: base64urlSchema(MAX_MESSAGE_BYTES),
      publicKeyB64u: base64urlSchema(MAX_MESSAGE_BYTES),
    })
    .refine(
      (body) => (body.messageB64u === undefined) !== (body.hashB64u === undefined),
      'exactly one of messageB64u and hashB64u is required',
    )
    .meta({ id: 'VerifyRequest' }),
)
export type VerifyRequest = z.infer<typeof verifyRequestSchema>

export const verifyResultSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ valid: z.boolean() }).meta({ id: 'VerifyResult' }),
)

/** Whether the request names a pre-hash that this platform does not support. */
export function hasUnsupportedHash(request: VerifyRequest): boolean {
  return request.hashB64u !== undefined && request.hashAlg !== undefined && request.hashAlg !== HASH_ALG
}

/** Verifies a well-formed request. A key, signature or digest of the wrong length is not valid. */
export async function verifySignature(request: VerifyRequest): Promise<boolean> {
  if (request.alg !== SIGNATURE_ALG) return false
  const publicKey = bytesOf(request.publicKeyB64u)
  const signature = bytesOf(request.signatureB64u)
  if (request.messageB64u !== undefined) return mlDsa65.verify(publicKey, bytesOf(request.messageB64u), signature)
  return hashMlDsa65.verify(publicKey, bytesOf(request.hashB64u ?? ''), signature)
}
