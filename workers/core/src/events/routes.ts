import {
  DEFAULT_EVENT_PAGE,
  MAX_EVENT_PAGE,
  MAX_EVENT_WAIT_SECONDS,
  signedEventPageSchema,
} from '@svc/protocol/events/events'
import { ApiError, defineOperation, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS, coreRoute } from '../service.ts'

const count = z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number')

export const readEvents = defineOperation({
  id: 'readEvents',
  method: 'get',
  path: '/api/events',
  summary: 'Read the caller’s event feed: what happened to the identity, in order',
  description:
    'Signed by core’s receipt key. Each event names the hash of the one before it. With `wait`, a request without new ' +
    'events is answered when there is one, or after that many seconds. `missed` counts what was deleted before you ' +
    'read it. An event is kept for 60 days, and no more than 1,000 are.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Every active device is told what concerns its owner, as it may place a hold.
  capability: 'any',
  limit: { counter: 'readEvents', limit: 60, protects: 'work' },
  query: z.strictObject({
    cursor: count
      .transform(Number)
      .optional()
      .meta({ description: 'The `sequence` of the last event that you read; default 0' }),
    limit: count
      .transform((text) => Math.min(MAX_EVENT_PAGE, Math.max(1, Number(text))))
      .optional()
      .meta({ description: `1 to ${MAX_EVENT_PAGE}, default ${DEFAULT_EVENT_PAGE}` }),
    wait: count
      .transform((text) => Math.min(MAX_EVENT_WAIT_SECONDS, Number(text)))
      .optional()
      .meta({ description: `Seconds to wait for an event, at most ${MAX_EVENT_WAIT_SECONDS}, default 0` }),
  }),
  answer: { status: 200, description: 'One page', schema: signedEventPageSchema },
  errors: ['receipts_unavailable'],
})

export const eventRoutes = [
  coreRoute(readEvents, async ({ assertion, query, deps, isHead, now }) => {
    const read = await deps.events.read(assertion.take(), {
      after: query.cursor ?? 0,
      limit: query.limit ?? DEFAULT_EVENT_PAGE,
      waitMs: isHead ? 0 : (query.wait ?? 0) * 1000,
    })
    if (read.ok) return read.value
    const { error } = read
    if (error.reason === 'receipts_unavailable') throw new ApiError('receipts_unavailable')
    if (error.reason === 'too_many_waiting')
      throw new ApiError('rate_limited', { retryAfterSeconds: MAX_EVENT_WAIT_SECONDS, reason: 'limit: events' })
    throw spendError(error, CORE_REFUSALS, now)
  }),
]
