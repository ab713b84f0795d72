import * as z from 'zod'
import type { Client } from '#client'

const pendingSchema = z.strictObject({
  format: z.literal('svc/anchor-pending/v1'),
  core: z.string(),
  realm: z.string(),
  anchorId: z.string(),
  root: z.string(),
  epoch: z.string(),
})
/** A stamp whose proof is still to come. */
export type PendingStamp = z.infer<typeof pendingSchema>

type Bundle = Awaited<ReturnType<Client['anchors']['bundle']>>

export type Stamp =
  | { readonly kind: 'pending'; readonly pending: PendingStamp }
  | { readonly kind: 'complete'; readonly bundle: Bundle }

/** What is in the file of a stamp; null if it is none. The bundle is verified where it is used. */
export function stampOf(value: unknown): Stamp | null {
  const parsed = pendingSchema.safeParse(value)
  if (parsed.success) return { kind: 'pending', pending: parsed.data }
  const bundle = shapeSchema.safeParse(value)
  return bundle.success ? { kind: 'complete', bundle: value as Bundle } : null
}

/** As much of a bundle as is shown. */
const shapeSchema = z.looseObject({
  format: z.literal('svc/anchor-bundle/v1'),
  record: z.looseObject({ anchorId: z.string(), root: z.string(), epoch: z.string(), owner: z.string() }),
  checkpoint: z.looseObject({
    statement: z.looseObject({ log: z.string(), size: z.int(), issuedAt: z.int() }),
  }),
})
