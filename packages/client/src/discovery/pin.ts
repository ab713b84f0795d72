import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { realmSchema } from '#protocol/base/realm'
import { answerSchema } from '#protocol/http/answer-schema'
import { discoveryDocumentSchema } from '#protocol/http/discovery-document'
import { listKeysSchema, signedLogListSchema } from '#protocol/merkle/log-list'

/** What a client remembers of a deployment: plain JSON, to store and to hand to the next client as `pinned`. */
export const pinSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    realm: z.string(),
    /** Realms of this deployment that this client has used and that the list still accepts. */
    formerRealms: z.array(realmSchema),
    /** The first keys of the signed list that were seen; null until there are some. */
    logListKeys: listKeysSchema.nullable(),
    /** The newest list that these keys lead to: the keys of services come from it alone. Null until there is one. */
    list: signedLogListSchema.nullable(),
    /** When the newest document was read, by the client's clock. */
    seenAt: z.int(),
    /** That document: where the services are while core does not answer. */
    document: answerSchema(discoveryDocumentSchema),
  }),
)
export type Pin = z.infer<typeof pinSchema>
