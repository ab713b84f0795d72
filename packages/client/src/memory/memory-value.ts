/** The memory of a client as one JSON value, for `client.memory.export()` and `ClientOptions.memory`. */

import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { realmSchema } from '#protocol/base/realm'
import { answerSchema } from '#protocol/http/answer-schema'
import { readContent } from '../verification/read-content.ts'
import { account, agreement } from './schemas/agreements.ts'
import { anchors } from './schemas/anchors.ts'
import { chain, genesis } from './schemas/chain.ts'
import { events } from './schemas/events.ts'
import { inception } from './schemas/inception.ts'
import { keys } from './schemas/keys.ts'
import { label } from './schemas/label.ts'
import { note, vault } from './schemas/notes.ts'
import { organization } from './schemas/organization.ts'
import { transparency } from './schemas/transparency.ts'

export const rememberedLogSchema = /* @__PURE__ */ z.discriminatedUnion('kind', [
  chain,
  genesis,
  inception,
  keys,
  label,
  agreement,
  account,
  organization,
  note,
  vault,
  transparency,
  anchors,
  events,
])

export const memoryValueSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    format: z.literal('svc/client-memory/v1'),
    realm: realmSchema,
    logs: z.array(rememberedLogSchema),
  }),
)
export type MemoryValue = z.infer<typeof memoryValueSchema>

const looseValueSchema = /* @__PURE__ */ answerSchema(memoryValueSchema)

/** Members of entries that this SDK does not know are kept: they are signed. Throws a `VerificationError` for another form. */
export function readMemoryValue(value: unknown): MemoryValue {
  return readContent('memory', looseValueSchema, value)
}
