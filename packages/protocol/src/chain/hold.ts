/**
 * The security hold (workers/docs/pages/developer/security.md): after a suspected theft, an identity accepts no chain
 * writes until its root key lifts the hold.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { pendingMember } from './pending.ts'

export const holdStateSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      held: z.boolean(),
      placedAt: z.number().nullable().meta({ description: 'Epoch ms; null if there is no hold' }),
      ...pendingMember,
    })
    .meta({ id: 'HoldState', description: 'Whether chain writes of the identity are frozen' }),
)
export type HoldState = z.infer<typeof holdStateSchema>

/** Holds that one device may place in 30 days, so that a stolen device cannot keep the root key from revoking it. */
export const MAX_DEVICE_HOLDS = 3
export const DEVICE_HOLD_PERIOD_MS = 30 * 24 * 3_600_000

export const NO_HOLD: HoldState = { held: false, placedAt: null }
