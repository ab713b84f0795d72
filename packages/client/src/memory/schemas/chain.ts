import * as z from 'zod'
import { base64urlSchema } from '#protocol/base/base64url'
import { pure } from '#protocol/base/pure'
import { genesisRequestSchema } from '#protocol/chain/api'
import { chainBlockSchema, MAX_PAYLOAD_BYTES } from '#protocol/chain/chain'
import { logOf } from './log-of.ts'

/** A block with the payload that is sent beside it. */
const sentBlockSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    block: chainBlockSchema,
    payloadB64u: base64urlSchema(MAX_PAYLOAD_BYTES).optional(),
  }),
)

export const chain = /* @__PURE__ */ pure(() => logOf('chain', chainBlockSchema.nullable(), sentBlockSchema))
export const genesis = /* @__PURE__ */ pure(() => logOf('genesis', chainBlockSchema, genesisRequestSchema))
