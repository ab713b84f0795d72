import { signedEventPageSchema } from '@svc/protocol/events/events'
import { challengeAnswerSchema, eventHookSchema, signedEventChallengeSchema } from '@svc/protocol/events/hooks'
import { eventTicketSchema, eventWakeSchema } from '@svc/protocol/events/socket'
import { envelopeOf } from '@svc/protocol/http/envelope'
import type * as z from 'zod'

/** Of the page on events. */
export const EVENT_SCHEMAS: Record<string, z.ZodType> = {
  'event-page': envelopeOf(signedEventPageSchema),
  'event-ticket': envelopeOf(eventTicketSchema),
  'event-wake': eventWakeSchema,
  'event-hook': envelopeOf(eventHookSchema),
  'event-challenge': signedEventChallengeSchema,
  'event-challenge-answer': challengeAnswerSchema,
}
