import {
  DEFAULT_EVENT_PAGE,
  EVENT_DAYS,
  KEPT_OF_FAMILY,
  MAX_EVENT_PAGE,
  MAX_EVENT_WAIT_SECONDS,
  signedEventPageSchema,
} from '@svc/protocol/events/events'
import {
  eventTicketSchema,
  MAX_EVENT_SOCKETS,
  MAX_EVENT_TICKETS,
  offersSocket,
  SOCKET_CLOSED,
  SOCKET_HOURS,
  SOCKET_PROTOCOL,
  TICKET_HEADER,
  TICKET_SECONDS,
} from '@svc/protocol/events/socket'
import { ApiError, defineOperation, NO_CONTENT, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS, coreRoute } from '../service.ts'

const count = z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number')

export const readEvents = defineOperation({
  id: 'readEvents',
  method: 'get',
  path: '/api/events',
  summary: 'Read the caller’s event feed: what happened to the identity, in order',
  description:
    'Signed by core’s receipt key. Each event names the hash of the one before it, and has a number (`nth`) in its ' +
    'family, the first part of its kind. With `wait`, a request without new events is answered when there is one, or ' +
    `after that many seconds. The newest ${KEPT_OF_FAMILY} of each family are kept, and what is pending; most kinds for ` +
    `${EVENT_DAYS} days. \`missed\` counts what was deleted or merged before you read it.`,
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

export const issueEventTicket = defineOperation({
  id: 'issueEventTicket',
  method: 'post',
  path: '/api/events/tickets',
  summary: 'Get a ticket for one WebSocket of the event feed',
  description:
    `Takes no body. The ticket opens one socket, in ${TICKET_SECONDS} seconds. An identity has at most ` +
    `${MAX_EVENT_TICKETS} that are not used; a key's fifth takes the place of its oldest.`,
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'any',
  limit: { counter: 'issueEventTicket', limit: 30, protects: 'work' },
  answer: { status: 200, description: 'The ticket', schema: eventTicketSchema },
})

export const openEventSocket = defineOperation({
  id: 'openEventSocket',
  method: 'get',
  path: '/api/events/socket',
  summary: 'Open a WebSocket that tells when there may be new events',
  description:
    `Offer the subprotocols \`${SOCKET_PROTOCOL}\` and \`svc.ticket.<ticket>\`. Each message is a text ` +
    '`{"head": 42}`, the number of the newest event: one at once, and one after each event. It is not signed: read the ' +
    'events. Send nothing but the text `ping`, which is answered with `pong`. ' +
    `An identity has at most ${MAX_EVENT_SOCKETS} sockets. Close codes: ${SOCKET_CLOSED.misused} something else was ` +
    `sent, ${SOCKET_CLOSED.expired} open for ${SOCKET_HOURS} hours, ${SOCKET_CLOSED.displaced} newer sockets took its ` +
    `place, ${SOCKET_CLOSED.refused} the key may no longer read the feed.`,
  consumes: 'the ticket',
  auth: 'token',
  tokenHeader: TICKET_HEADER,
  limit: { counter: 'openEventSocket', limit: 60, protects: 'work' },
  answer: {
    status: 101,
    description: 'The socket is open',
    headers: { 'Sec-WebSocket-Protocol': `\`${SOCKET_PROTOCOL}\`` },
    contentType: NO_CONTENT,
  },
  errors: ['upgrade_required', 'dependency_unavailable'],
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
  coreRoute(issueEventTicket, async ({ assertion, deps, now }) => {
    const issued = await deps.events.ticket(assertion.take())
    if (issued.ok) return issued.value
    if (issued.error.reason === 'too_many_tickets')
      throw new ApiError('rate_limited', { retryAfterSeconds: TICKET_SECONDS, reason: 'limit: tickets' })
    throw spendError(issued.error, CORE_REFUSALS, now)
  }),
  coreRoute(openEventSocket, async ({ token, headers, deps }) => {
    const isUpgrade = headers.get('upgrade')?.toLowerCase() === 'websocket'
    if (!isUpgrade || !offersSocket(headers.get(TICKET_HEADER))) throw new ApiError('upgrade_required')
    const webSocket = await deps.events.open(token)
    if (!webSocket) throw new ApiError('token_rejected', { reason: 'ticket' })
    return new Response(null, { status: 101, webSocket, headers: { [TICKET_HEADER]: SOCKET_PROTOCOL } })
  }),
]
