/** What core and the DID service ask pay over their service bindings (workers/docs/pages/developer/internal.md). */
import * as z from 'zod'
import { sourceSchema } from '../pay/entitlements.ts'
import { tierSchema } from '../pay/tiers.ts'

const time = z.int().nullable()

/** Which tier an identity has now, by which source and until when. */
export const standingSchema = z
  .strictObject({
    tier: tierSchema,
    source: sourceSchema,
    from: time.meta({ description: 'When the grant began, epoch ms; null at signup' }),
    until: time.meta({ description: 'When the tier ends as things stand, epoch ms; null at signup' }),
    planUntil: time.meta({ description: 'When the plan of an organization ends, epoch ms; null without one' }),
  })
  .meta({ id: 'Standing' })
export type Standing = z.infer<typeof standingSchema>

/** `PayInternal`, as its siblings call it by RPC. */
export interface PayInternalApi {
  standing(did: string): Promise<unknown>
  /** The standing after the code was redeemed for an identity; null if it cannot be. */
  redeem(did: string, codeHash: string): Promise<unknown>
}
