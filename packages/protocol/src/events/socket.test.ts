import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import {
  eventTicketSchema,
  offersSocket,
  protocolsWith,
  TICKET_SECRET_BYTES,
  ticketIn,
  ticketOf,
  ticketParts,
} from './socket.ts'

const did = `did:svc:${'PDw8'.repeat(8)}`
const secret = encodeBase64url(new Uint8Array(TICKET_SECRET_BYTES).fill(7))
const ticket = ticketOf(did, secret)

describe('a ticket', () => {
  it('names its identity and its secret', () => {
    expect(eventTicketSchema.parse({ ticket, expiresAt: 1 }).ticket).toBe(ticket)
    expect(ticketParts(ticket)).toEqual({ did, secret })
  })

  it.each(['', 'A'.repeat(74), 'A'.repeat(76), `${'A'.repeat(74)}=`, `${'A'.repeat(74)} `])('is not %j', (text) => {
    expect(ticketParts(text)).toBeNull()
  })

  it('is found among the subprotocols of a client', () => {
    const offered = protocolsWith(ticket).join(', ')
    expect(ticketIn(offered)).toBe(ticket)
    expect(offersSocket(offered)).toBe(true)
    expect(ticketIn(`svc.ticket.${ticket},svc.events.v1`)).toBe(ticket)
  })

  it('is not found if there is none, or more than one', () => {
    expect(ticketIn('svc.events.v1')).toBeNull()
    expect(ticketIn('')).toBeNull()
    expect(ticketIn(`svc.ticket.${ticket}, svc.ticket.${ticket}`)).toBeNull()
    expect(ticketIn(ticket)).toBeNull()
  })

  it('does not stand for the subprotocol', () => {
    expect(offersSocket(`svc.ticket.${ticket}`)).toBe(false)
    expect(offersSocket('svc.events.v2')).toBe(false)
    expect(offersSocket(null)).toBe(false)
  })
})
