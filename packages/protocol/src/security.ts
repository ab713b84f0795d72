/**
 * The security hold (document 1 sections 3 and 4.2): an identity whose owner suspects a theft takes no chain writes
 * until its root key lifts the hold.
 *
 * @module
 */
import * as z from 'zod'

export const holdStateSchema = z
  .strictObject({
    held: z.boolean(),
    placedAt: z.number().nullable().meta({ description: 'Epoch ms; null when there is no hold' }),
  })
  .meta({ id: 'HoldState', description: 'Whether chain writes of the identity are frozen' })
export type HoldState = z.infer<typeof holdStateSchema>

/** Holds that one device places in 30 days: a stolen one must not keep the root key from revoking it. */
export const MAX_DEVICE_HOLDS = 3
export const DEVICE_HOLD_PERIOD_MS = 30 * 24 * 3_600_000

export const NO_HOLD: HoldState = { held: false, placedAt: null }
