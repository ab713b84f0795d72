/** Pinning of IPFS content (workers/docs/pages/developer/content.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { cursorSchema } from '../merkle/cursor.ts'

export const pinRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      cid: z.string().min(12).max(1024),
      name: z
        .string()
        .min(1)
        .max(255)
        .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
        .optional()
        .meta({ description: 'Visible to the service and its pinning provider' }),
    })
    .meta({ id: 'IpfsPinRequest' }),
)

export const pinnedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      cid: z.string().meta({ description: 'CIDv1 in base32' }),
      name: z.string().optional(),
      provider: z.enum(['object-store', 'external-http']),
      status: z.enum(['queued', 'pinning', 'pinned', 'failed']).meta({ description: 'As reported by the provider' }),
      bytes: z.int().nullable().meta({ description: 'Size of the file; null if the provider does not report it' }),
      pinnedAt: z.number().meta({ description: 'When it was requested, epoch ms' }),
    })
    .meta({ id: 'Pinned' }),
)
export type Pinned = z.infer<typeof pinnedSchema>

export const MAX_PAGE_PINS = 100
export const pinQuerySchema = /* @__PURE__ */ pure(() => z.strictObject({ cursor: cursorSchema.optional() }))

export const pinPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ pins: z.array(pinnedSchema), cursor: cursorSchema.nullable() })
    .meta({ id: 'PinPage', description: 'By CID; `cursor` is null on the last page' }),
)
export type PinPage = z.infer<typeof pinPageSchema>
