/** What an identity keeps at core, as pay tells it to its owner. */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { tierSchema } from '../pay/tiers.ts'

const amount = /* @__PURE__ */ pure(() => z.int().min(0))
const roomSchema = /* @__PURE__ */ z.strictObject({ bytes: amount, rows: amount })
const useSchema = /* @__PURE__ */ z.strictObject({ used: amount, limit: amount })

export const storedAmountsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tier: tierSchema,
      bytes: useSchema.meta({ description: 'Bytes kept at core, with those leased to the vault of notes' }),
      rows: useSchema.meta({ description: 'Records kept at core, with those leased to the vault of notes' }),
      byKind: z.strictObject({
        chain: roomSchema,
        devices: roomSchema,
        notes: roomSchema.meta({ description: 'Leased in steps of 8 MiB and 500 records' }),
        pins: roomSchema,
        assets: roomSchema,
        anchors: roomSchema,
      }),
    })
    .meta({ id: 'StoredAmounts', description: 'What the identity keeps at core, and the most that its tier allows' }),
)
export type StoredAmounts = z.infer<typeof storedAmountsSchema>
