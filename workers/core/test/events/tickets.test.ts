import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { MAX_EVENT_TICKETS, SOCKET_PROTOCOL, TICKET_SECONDS } from '@svc/protocol/events/socket'
import { deviceOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TICKETS } from '../../src/events/tickets.ts'
import { call, freshCaller, send } from '../harness.ts'
import { at } from '../rotation/rotation.fixture.ts'
import { ask, objectOf, opened, openSockets, refusal, ticketFor } from './sockets.fixture.ts'

const REJECTED = { status: 401, error: 'token_rejected' }

const rowsOf = (caller: Parameters<typeof objectOf>[0]) =>
  runInDurableObject(objectOf(caller), ({ stored }) =>
    stored.tables(TICKETS).exec<Record<string, SqlStorageValue>>('SELECT * FROM event_tickets').toArray(),
  )

afterEach(() => {
  vi.useRealTimers()
})

describe('a ticket', () => {
  it('opens one socket, and is gone', async () => {
    const caller = await freshCaller()
    const ticket = await ticketFor(caller)
    const response = await ask(ticket)
    expect(response.status).toBe(101)
    expect(response.headers.get('sec-websocket-protocol')).toBe(SOCKET_PROTOCOL)
    expect(await rowsOf(caller)).toEqual([])
    expect(await refusal(await ask(ticket))).toEqual(REJECTED)
  })

  it('is kept as a hash of its secret', async () => {
    const caller = await freshCaller()
    const ticket = await ticketFor(caller)
    const rows = JSON.stringify(await rowsOf(caller))
    expect(rows).toContain('"hash"')
    expect(rows).not.toContain(ticket.slice(32))
  })

  it('opens one socket of twenty that race for it', async () => {
    const caller = await freshCaller()
    const ticket = await ticketFor(caller)
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(ticket)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([101, ...Array.from({ length: 19 }, () => 401)])
    expect(await openSockets(caller)).toBe(1)
  })

  it('expires', async () => {
    const caller = await freshCaller()
    const ticket = await ticketFor(caller)
    at(Date.now() + TICKET_SECONDS * 1000)
    expect(await refusal(await ask(ticket))).toEqual(REJECTED)
    expect(await rowsOf(caller)).toEqual([])
  })

  it('is deleted by an alarm if nobody uses it', async () => {
    const caller = await freshCaller()
    await ticketFor(caller)
    at(Date.now() + 600_000)
    await runInDurableObject(objectOf(caller), (instance) => instance.alarm())
    expect(await rowsOf(caller)).toEqual([])
  })

  it('opens nothing at another identity, and stays what it was', async () => {
    const [caller, other] = [await freshCaller(), await freshCaller()]
    const ticket = await ticketFor(caller)
    const theirs = await ticketFor(other)
    expect(await refusal(await ask(theirs.slice(0, 32) + ticket.slice(32)))).toEqual(REJECTED)
    expect((await ask(ticket)).status).toBe(101)
    expect((await ask(theirs)).status).toBe(101)
  })

  it.each(['A'.repeat(75), 'A'.repeat(74), '_'.repeat(75)])('is not invented: %s', async (ticket) => {
    expect(await refusal(await ask(ticket))).toEqual(REJECTED)
  })

  it('survives a crash, and so does that it was used', async () => {
    const caller = await freshCaller()
    const [first, second] = [await ticketFor(caller), await ticketFor(caller)]
    await opened(caller, first)
    await evictDurableObject(objectOf(caller))
    expect((await ask(first)).status).toBe(401)
    expect((await ask(second)).status).toBe(101)
  })

  it('gives its place to a later one of its key', async () => {
    const caller = await freshCaller()
    const tickets = []
    for (let i = 0; i < 5; i += 1) tickets.push(await ticketFor(caller))
    const statuses = []
    for (const ticket of tickets) statuses.push((await ask(ticket)).status)
    expect(statuses).toEqual([401, 101, 101, 101, 101])
  })

  it('is refused beside sixteen of other keys', async () => {
    const caller = await freshCaller()
    for (let i = 0; i < MAX_EVENT_TICKETS / 4; i += 1) {
      const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
      for (let j = 0; j < 4; j += 1) await ticketFor({ ...caller, identity: device })
    }
    const { status, body } = await call(caller, 'POST', '/api/events/tickets')
    expect([status, body['code'], body['retryAfter']]).toEqual([429, 'rate_limited', TICKET_SECONDS])
  })

  it('opens nothing for a device that was revoked in the meantime', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const ticket = await ticketFor({ ...caller, identity: device })
    await caller.client.devices.revoke(device.deviceId)
    expect(await refusal(await ask(ticket))).toEqual(REJECTED)
  })
})

describe('a request for a socket', () => {
  it('is refused without the subprotocol of the feed', async () => {
    const ticket = await ticketFor(await freshCaller())
    const answer = await ask(null, { 'sec-websocket-protocol': `svc.ticket.${ticket}` })
    expect(await refusal(answer)).toEqual({ status: 426, error: 'upgrade_required' })
    expect((await ask(ticket)).status).toBe(101)
  })

  it('is refused if it does not ask for a WebSocket', async () => {
    const ticket = await ticketFor(await freshCaller())
    expect(await refusal(await ask(ticket, { upgrade: 'h2c' }))).toEqual({ status: 426, error: 'upgrade_required' })
    expect((await ask(ticket)).status).toBe(101)
  })

  it('is refused from a foreign page, whose visitor keeps the ticket', async () => {
    const ticket = await ticketFor(await freshCaller())
    const answer = await ask(ticket, { origin: 'https://foreign.example' })
    expect(await refusal(answer)).toEqual({ status: 403, error: 'cors_denied' })
    expect((await ask(ticket, { origin: 'http://localhost:3000' })).status).toBe(101)
  })

  it('does not take a ticket from the address', async () => {
    const ticket = await ticketFor(await freshCaller())
    const url = `https://core.test/api/events/socket?ticket=${ticket}`
    const answer = await send(new Request(url, { headers: { upgrade: 'websocket' } }))
    expect(await refusal(answer)).toEqual({ status: 401, error: 'token_required' })
  })
})
