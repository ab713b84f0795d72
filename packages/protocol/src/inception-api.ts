/** The shapes of core's inception routes that are not events themselves. */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { didSchema, scopeSchema } from './identity.ts'
import { inceptionEventSchema, inceptionHeadSchema } from './inception.ts'

export const inceptionHeadRequestSchema = z
  .strictObject({ scope: scopeSchema.meta({ description: 'The caller’s own scope; any other is 403' }) })
  .meta({ id: 'InceptionHeadRequest' })

export const inceptionHeadAnswerSchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    ...inceptionHeadSchema.shape,
    rootEpoch: z.int().min(0).meta({ description: 'The current root epoch, which the next event must name' }),
  })
  .meta({ id: 'InceptionHeadAnswer' })
export type InceptionHeadAnswer = z.infer<typeof inceptionHeadAnswerSchema>

export const inceptionAppendedSchema = z
  .strictObject({
    sequence: z.int(),
    hash: hashSchema,
    acceptedAt: z.number().meta({ description: 'When the service accepted it, epoch ms' }),
  })
  .meta({ id: 'InceptionAppended', description: 'The log’s head after the last event of the request' })
export type InceptionAppended = z.infer<typeof inceptionAppendedSchema>

/** An event takes up to 230 kB (sixteen officers), a device event 5 to 16 kB. */
export const MAX_PAGE_EVENTS = 20
export const inceptionEventsQuerySchema = z.strictObject({
  from: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be an integer')
    .transform(Number)
    .optional()
    .meta({ description: 'First sequence; 1 unless given' }),
})
export const inceptionEventsSchema = z
  .strictObject({
    events: z.array(inceptionEventSchema).max(MAX_PAGE_EVENTS),
    next: z.int().nullable().meta({ description: '`from` of the next page, or null at the end' }),
    head: inceptionHeadSchema,
  })
  .meta({ id: 'InceptionEvents' })
export type InceptionEvents = z.infer<typeof inceptionEventsSchema>
