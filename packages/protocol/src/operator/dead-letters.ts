/**
 * Dead letters (workers/docs/pages/developer/pay.md): events of the payment provider that carry this service's metadata
 * and that it does not understand. They are kept until they are applied or the operator dismisses them.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema } from '../base/statement.ts'
import { actSchema } from './act.ts'

const eventIdSchema = /* @__PURE__ */ pure(() =>
  z.string().min(1).max(255).meta({ description: 'Id of the event at the provider' }),
)

export const deadLetterActSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-dead-letter/v1', 'pay', {
    eventId: eventIdSchema,
    action: z.enum(['replay', 'dismiss']).meta({
      description: '`replay` applies the event as if it had just come; `dismiss` gives it up, and its repetitions too',
    }),
  }).meta({ id: 'DeadLetterAct', description: 'Decide one dead letter' }),
)

export const deadLetterReadSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-dead-letters/v1', 'pay', {
    after: z.int().min(0).meta({ description: '0 to begin; then `next` of the previous answer' }),
  }).meta({ id: 'DeadLetterRead', description: 'List dead letters' }),
)
export const signedDeadLetterReadSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deadLetterReadSchema).meta({ id: 'SignedDeadLetterRead' }),
)
export type DeadLetterReadStatement = z.infer<typeof deadLetterReadSchema>

export const deadLetterSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      eventId: eventIdSchema,
      type: z.string().meta({ description: 'Type of the event at the provider' }),
      occurredAt: z.int().meta({ description: 'Epoch ms' }),
      receivedAt: z.int().meta({ description: 'When it came first, epoch ms' }),
      attempts: z.int().min(1).meta({ description: 'How often it came' }),
      reason: z.string().meta({ description: 'What was not understood. Names members, and has no values of theirs' }),
    })
    .meta({ id: 'DeadLetter' }),
)
export type DeadLetter = z.infer<typeof deadLetterSchema>

export const deadLetterPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: statementNonceSchema,
      recordedAt: z.number(),
      deadLetters: z.array(deadLetterSchema),
      next: z.int().nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'DeadLetterPage', description: 'Oldest first' }),
)
export type DeadLetterPage = z.infer<typeof deadLetterPageSchema>
