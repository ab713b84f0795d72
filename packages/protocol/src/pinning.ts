/** Pinning (document 1 section 2.10). */
import * as z from 'zod'

export const pinRequestSchema = z
  .strictObject({
    cid: z.string().min(12).max(1024),
    name: z
      .string()
      .min(1)
      .max(255)
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
      .optional()
      .meta({ description: 'Seen by the service and by its pinning provider' }),
  })
  .meta({ id: 'IpfsPinRequest' })

export const pinnedSchema = z
  .strictObject({
    cid: z.string().meta({ description: 'CIDv1 in base32' }),
    name: z.string().optional(),
    provider: z.enum(['object-store', 'external-http']),
    status: z.enum(['queued', 'pinning', 'pinned', 'failed']).meta({ description: 'As the provider has it' }),
    bytes: z.int().nullable().meta({ description: 'Size of the file; null where the provider does not say' }),
    pinnedAt: z.number().meta({ description: 'When it was asked for, epoch ms' }),
  })
  .meta({ id: 'Pinned' })
export type Pinned = z.infer<typeof pinnedSchema>
