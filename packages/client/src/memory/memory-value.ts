/** The memory of a client as one JSON value, for `client.memory.export()` and `ClientOptions.memory`. */
import { realmSchema } from '@svc/protocol/base/realm'
import { answerSchema } from '@svc/protocol/http/answer-schema'
import * as z from 'zod'
import { anchors } from './schemas/anchors.ts'
import { chain, genesis } from './schemas/chain.ts'
import { events } from './schemas/events.ts'
import { inception } from './schemas/inception.ts'
import { keys } from './schemas/keys.ts'
import { note, vault } from './schemas/notes.ts'
import { organization } from './schemas/organization.ts'
import { transparency } from './schemas/transparency.ts'

export const rememberedLogSchema = z.discriminatedUnion('kind', [
  chain,
  genesis,
  inception,
  keys,
  organization,
  note,
  vault,
  transparency,
  anchors,
  events,
])

export const memoryValueSchema = z.strictObject({
  format: z.literal('svc/client-memory/v1'),
  realm: realmSchema,
  logs: z.array(rememberedLogSchema),
})
export type MemoryValue = z.infer<typeof memoryValueSchema>

const looseValueSchema = answerSchema(memoryValueSchema)

/** Members of entries that this SDK does not know are kept: they are signed. */
export function readMemoryValue(value: unknown): MemoryValue {
  return looseValueSchema.parse(value)
}
