/**
 * The WebSocket of the event feed (workers/docs/pages/developer/events.md). It tells a reader that there is something to
 * read, and nothing else: events come from the signed pages alone. So a wake that is lost or made up costs only time.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'

/** The subprotocol that the server speaks. */
export const SOCKET_PROTOCOL = 'svc.events.v1'
/** The header with the ticket: the only one that a browser lets a script set on a WebSocket. */
export const TICKET_HEADER = 'Sec-WebSocket-Protocol'
const TICKET_PREFIX = 'svc.ticket.'

export const TICKET_SECONDS = 30
export const TICKET_SECRET_BYTES = 32
/** Tickets of one identity that are not used yet: as many as requests that may wait. */
export const MAX_EVENT_TICKETS = 16
/** Of them, tickets of one key. The next one takes the place of its oldest, whose answer may have been lost. */
export const MAX_KEY_TICKETS = 4
/** Open sockets of one identity: a few devices, each with a window or two. */
export const MAX_EVENT_SOCKETS = 8
/** A socket ends after a day, so that none outlives what it was opened with by more. */
export const SOCKET_HOURS = 24

/** The text that asks a server whether it is there, and its answer. */
export const PING = 'ping'
export const PONG = 'pong'

/** Why a server closes a socket. */
export const SOCKET_CLOSED = {
  /** The client sent something other than `ping`. */
  misused: 1008,
  /** It was open for 24 hours: get another ticket. */
  expired: 4000,
  /** The identity has eight newer ones: wait by requests instead. */
  displaced: 4001,
  /** The key that it was opened with may no longer read the feed. */
  refused: 4003,
} as const

const DID_PREFIX = 'did:svc:'
const DID_CHARS = 32
const TICKET_PATTERN = /^[A-Za-z0-9_-]{75}$/

export const eventTicketSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ticket: z.string().regex(TICKET_PATTERN, 'must be 75 base64url characters').meta({
        description: 'The identity, and 256 random bits. Never part of a URL',
      }),
      expiresAt: z
        .int()
        .min(0)
        .meta({ description: `${TICKET_SECONDS} seconds from now, in epoch ms` }),
    })
    .meta({ id: 'EventTicket', description: 'Opens one WebSocket' }),
)
export type EventTicket = z.infer<typeof eventTicketSchema>

/** The text of a message of the server. */
export const eventWakeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ head: z.int().min(0).meta({ description: 'The number of the newest event' }) })
    .meta({ id: 'EventWake', description: 'There is something to read, perhaps' }),
)

/** A ticket names its identity, whose object alone knows the hash of the secret. */
export function ticketOf(did: string, secret: string): string {
  return did.slice(DID_PREFIX.length) + secret
}

/** The parts of a well-formed ticket; null for anything else. */
export function ticketParts(ticket: string): { readonly did: string; readonly secret: string } | null {
  if (!TICKET_PATTERN.test(ticket)) return null
  return { did: DID_PREFIX + ticket.slice(0, DID_CHARS), secret: ticket.slice(DID_CHARS) }
}

/** The subprotocols that a client offers: what both speak, and its ticket. */
export function protocolsWith(ticket: string): [string, string] {
  return [SOCKET_PROTOCOL, TICKET_PREFIX + ticket]
}

/** Whether a client offers the subprotocol of the feed. */
export function offersSocket(header: string | null): boolean {
  return protocolsIn(header ?? '').includes(SOCKET_PROTOCOL)
}

/** The only ticket among the subprotocols that a client offers; null if there is none, or more than one. */
export function ticketIn(header: string): string | null {
  const tickets = protocolsIn(header).filter((name) => name.startsWith(TICKET_PREFIX))
  return tickets.length === 1 ? (tickets[0] ?? '').slice(TICKET_PREFIX.length) : null
}

function protocolsIn(header: string): string[] {
  return header.split(',').map((name) => name.trim())
}
