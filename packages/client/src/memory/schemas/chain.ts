import { base64urlSchema } from '@svc/protocol/base/base64url'
import { chainBlockSchema, chainBlockV4Schema, MAX_PAYLOAD_BYTES } from '@svc/protocol/chain/chain'
import * as z from 'zod'
import { logOf } from './log-of.ts'

/** A block with the payload that is sent beside it. */
const sentBlockSchema = z.strictObject({
  block: chainBlockSchema,
  payloadB64u: base64urlSchema(MAX_PAYLOAD_BYTES).optional(),
})

export const chain = logOf('chain', chainBlockSchema.nullable(), sentBlockSchema)
export const genesis = logOf('genesis', chainBlockSchema, chainBlockV4Schema)
