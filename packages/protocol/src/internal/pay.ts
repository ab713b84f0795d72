/** What core and the DID service ask pay over their service bindings (workers/docs/pages/developer/internal.md). */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { sourceSchema } from '../pay/entitlements.ts'
import { tierSchema } from '../pay/tiers.ts'

const time = /* @__PURE__ */ pure(() => z.int().nullable())

/** Which tier an identity has now, by which source and until when. */
export const standingSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tier: tierSchema,
      source: sourceSchema,
      from: time.meta({ description: 'When the grant began, epoch ms; null at signup' }),
      until: time.meta({ description: 'When the tier ends as things stand, epoch ms; null at signup' }),
      planUntil: time.meta({ description: 'When the plan of an organization ends, epoch ms; null without one' }),
    })
    .meta({ id: 'Standing' }),
)
export type Standing = z.infer<typeof standingSchema>

/** A code that core issues for an approved request for an invitation; the code itself is not sent. */
export const issuedCodeSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    codeHash: hashSchema,
    tier: tierSchema,
    days: z.int().min(1).max(3660),
    redeemableUntil: z.int().min(0).meta({ description: 'Epoch ms' }),
  }),
)
export type IssuedCode = z.infer<typeof issuedCodeSchema>

/** `PayInternal`, as its siblings call it by RPC. `requestId` is of the request that the call is made for. */
export interface PayInternalApi {
  standing(did: string, requestId?: string): Promise<unknown>
  /** The standing after the code was redeemed for an identity; null if it cannot be. */
  redeem(did: string, codeHash: string, requestId?: string): Promise<unknown>
  /** Issues a code, once however often it is asked; true when it stands. */
  issue(code: IssuedCode, requestId?: string): Promise<unknown>
}
