/** What an identity keeps at core, as pay tells it to its owner. */
import * as z from 'zod'
import { tierSchema } from '../pay/tiers.ts'

const amount = z.int().min(0)
const roomSchema = z.strictObject({ bytes: amount, rows: amount })
const useSchema = z.strictObject({ used: amount, limit: amount })

export const storedAmountsSchema = z
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
  .meta({ id: 'StoredAmounts', description: 'What the identity keeps at core, and the most that its tier allows' })
export type StoredAmounts = z.infer<typeof storedAmountsSchema>
