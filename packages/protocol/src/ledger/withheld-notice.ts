/**
 * What the service shows of a withheld anchor: its leaf, the ground, the day, and the position of the act.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { logPositionSchema } from '../merkle/log-name.ts'

/** As codes: free text could repeat what is withheld. */
export const WITHHELD_GROUNDS = ['abuse', 'court_order', 'legal', 'privacy', 'other'] as const

export const groundSchema = /* @__PURE__ */ z.enum(WITHHELD_GROUNDS)
export type WithheldGround = z.infer<typeof groundSchema>
export const withheldLeafHashSchema = /* @__PURE__ */ hashSchema.meta({ description: 'Hash of the leaf of the anchor' })
export const withheldDaySchema = /* @__PURE__ */ z.iso.date().meta({ description: 'The day of `issuedAt`, in UTC' })

/** What the service shows of a withheld anchor. */
export const withheldNoticeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      leaf: withheldLeafHashSchema,
      ground: groundSchema,
      day: withheldDaySchema,
      position: logPositionSchema.meta({ description: 'Of the leaf that is the act of the operator' }),
    })
    .meta({ id: 'WithheldNotice', description: 'An anchor whose body is withheld' }),
)
export type WithheldNotice = z.infer<typeof withheldNoticeSchema>
