/**
 * What a witness signs of a log (workers/docs/pages/developer/keys.md): of a key directory, or of anchors.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { hashSchema } from '../base/hash.ts'
import { publicKeySchema, signatureSchema, userIdOfKey, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { statementSchema, verifyStatement } from '../base/statement.ts'
import { logNameSchema } from '../merkle/log-name.ts'

export const VERIFIED_BY_WITNESS = ['log', 'log+map'] as const
export const cosignatureSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/transparency-cosignature/v1', {
    log: logNameSchema,
    size: z.int().min(1),
    root: hashSchema,
    witness: userIdSchema.meta({ description: 'The userId of the witness key' }),
    verifies: z.enum(VERIFIED_BY_WITNESS).meta({
      description: '`log`: the log only grew. `log+map`: also that its map of accounts follows from its entries',
    }),
  }).meta({
    id: 'Cosignature',
    description: 'A witness has verified that this state of the log extends every state it saw before',
  }),
)
export const signedCosignatureSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ statement: cosignatureSchema, signatureB64u: signatureSchema, publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedCosignature' }),
)
export type SignedCosignature = z.infer<typeof signedCosignatureSchema>

/** Whether a cosignature was made by the key it includes. The caller decides whether to trust that key as a witness. */
export async function verifyCosignature(
  { publicKeyB64u, ...signed }: SignedCosignature,
  expectedRealms: Realms,
): Promise<boolean> {
  const isNamed = signed.statement.witness === userIdOfKey(publicKeyB64u)
  return isNamed && verifyStatement(signed, bytesOf(publicKeyB64u), expectedRealms)
}
