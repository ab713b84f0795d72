import * as z from 'zod'
import type { AnchorStamp, KeptBundle } from '#client'
import { anchorStampSchema } from '#client/functions'

/** A stamp whose proof is still to come, or a bundle. */
export type Stamp =
  | { readonly kind: 'pending'; readonly pending: AnchorStamp }
  | { readonly kind: 'complete'; readonly bundle: KeptBundle }

/** What is in the file of a stamp; null if it is none. The bundle is verified where it is used. */
export function stampOf(value: unknown): Stamp | null {
  const parsed = anchorStampSchema.safeParse(value)
  if (parsed.success) return { kind: 'pending', pending: parsed.data }
  const bundle = shapeSchema.safeParse(value)
  return bundle.success ? { kind: 'complete', bundle: value as KeptBundle } : null
}

/** As much of a bundle as is shown. */
const shapeSchema = z.looseObject({
  format: z.literal('svc/anchor-bundle/v1'),
  record: z.looseObject({ anchorId: z.string(), root: z.string(), epoch: z.string(), owner: z.string() }),
  checkpoint: z.looseObject({
    statement: z.looseObject({ log: z.string(), size: z.int(), issuedAt: z.int() }),
  }),
  nonceB64u: z.string().optional(),
})
