import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import {
  MAX_EVENT_SOCKETS,
  MAX_EVENT_TICKETS,
  PING,
  PONG,
  SOCKET_CLOSED,
  SOCKET_HOURS,
  SOCKET_PROTOCOL,
  TICKET_SECONDS,
} from '@svc/protocol/events/socket'
import { deviceOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TICKETS } from '../../src/events/tickets.ts'
import { call, freshCaller, send } from '../harness.ts'
import { at } from '../rotation/rotation.fixture.ts'
import { ask, objectOf, opened, refusal, ticketFor } from './sockets.fixture.ts'

const REJECTED = { status: 401, error: 'token_rejected' }

const rowsOf = (caller: Parameters<typeof objectOf>[0]) =>
  runInDurableObject(objectOf(caller), ({ stored }) =>
    stored.tables(TICKETS).exec<Record<string, SqlStorageValue>>('SELECT * FROM event_tickets').toArray(),
  )
const openSockets = (caller: Parameters<typeof objectOf>[0]) =>
  runInDurableObject(
    objectOf(caller),
    (_, ctx) => ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
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

describe('a socket', () => {
  it('tells at once where the feed is, and then of each event', async () => {
    const caller = await freshCaller()
    const { next } = await opened(caller)
    expect(await next()).toBe('{"head":0}')
    await caller.client.security.placeHold()
    expect(await next()).toBe('{"head":1}')
    await caller.client.security.liftHold()
    expect(await next()).toBe('{"head":2}')
  })

  it('tells nothing to other identities', async () => {
    const [caller, other] = [await freshCaller(), await freshCaller()]
    const { next, texts } = await opened(other)
    expect(await next()).toBe('{"head":0}')
    await caller.client.security.placeHold()
    await other.client.security.placeHold()
    expect(await next()).toBe('{"head":1}')
    expect(texts).toEqual([])
  })

  it('wakes while its object sleeps, and after it was evicted', async () => {
    const caller = await freshCaller()
    const { next } = await opened(caller)
    await next()
    await evictDurableObject(objectOf(caller))
    await caller.client.security.placeHold()
    expect(await next()).toBe('{"head":1}')
  })

  it('tells nothing of an act that was rolled back', async () => {
    const caller = await freshCaller()
    const { next } = await opened(caller)
    await next()
    await runInDurableObject(objectOf(caller), ({ stored, transaction }) => {
      expect(() =>
        stored.transact(() => {
          transaction.events.add('hold.placed', 'root', 1)
          throw new Error('the disk is full')
        }),
      ).toThrow('the disk is full')
    })
    expect(await next()).toBe('{"head":0}')
  })

  it('answers a ping', async () => {
    const { socket, next } = await opened(await freshCaller())
    await next()
    socket.send(PING)
    expect(await next()).toBe(PONG)
  })

  it.each(['pong', 'ping ', '', '{"head":1}', 'x'.repeat(100_000), new Uint8Array([112, 105, 110, 103])])(
    'is closed for anything else, of %# kinds',
    async (sent) => {
      const caller = await freshCaller()
      const { socket, next, closed } = await opened(caller)
      await next()
      socket.send(sent)
      expect(await closed).toBe(SOCKET_CLOSED.misused)
      expect(await openSockets(caller)).toBe(0)
    },
  )

  it('keeps from its object what a client goes on sending', async () => {
    const caller = await freshCaller()
    const { socket, next, closed } = await opened(caller)
    await next()
    let heard = 0
    await runInDurableObject(objectOf(caller), ({ sockets }) => {
      sockets.misused = () => {
        heard += 1
      }
    })
    for (let i = 0; i < 100; i += 1) socket.send('hello')
    await vi.waitFor(async () => {
      expect(await openSockets(caller)).toBe(0)
    })
    expect(heard).toBe(0)
    expect(await closed).toBe(SOCKET_CLOSED.misused)
  })

  it('is closed by its object too, for anything that reaches it', async () => {
    const caller = await freshCaller()
    const { next, closed } = await opened(caller)
    await next()
    await runInDurableObject(objectOf(caller), (instance, ctx) => {
      for (const socket of ctx.getWebSockets()) instance.webSocketMessage(socket)
    })
    expect(await closed).toBe(SOCKET_CLOSED.misused)
  })

  it('is forgotten when its client closes it', async () => {
    const caller = await freshCaller()
    const { socket, closed, next } = await opened(caller)
    await next()
    socket.close(1000)
    expect(await closed).toBe(1000)
    await vi.waitFor(async () => {
      expect(await openSockets(caller)).toBe(0)
    })
  })

  it('ends after a day, by an alarm', async () => {
    const caller = await freshCaller()
    const { closed } = await opened(caller)
    at(Date.now() + SOCKET_HOURS * 3_600_000 - 1000)
    await runInDurableObject(objectOf(caller), (instance) => instance.alarm())
    expect(await openSockets(caller)).toBe(1)
    const next = await runInDurableObject(objectOf(caller), (_, { storage }) => storage.getAlarm())
    expect(next).toBeLessThan(Date.now() + 2000)
    at(Date.now() + 1000)
    await runInDurableObject(objectOf(caller), (instance) => instance.alarm())
    expect(await closed).toBe(SOCKET_CLOSED.expired)
  })

  it('is closed when its device is revoked, and the others are told', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const lost = await opened({ ...caller, identity: device })
    const kept = await opened(caller)
    expect([await lost.next(), await kept.next()]).toEqual(['{"head":1}', '{"head":1}'])
    await caller.client.devices.revoke(device.deviceId)
    expect(await kept.next()).toBe('{"head":2}')
    expect(await openSockets(caller)).toBe(1)
    expect(await lost.closed).toBe(SOCKET_CLOSED.refused)
    expect(lost.texts).toEqual([])
  })

  it('makes room for the ninth: the oldest is closed', async () => {
    const caller = await freshCaller()
    const first = await opened(caller)
    for (let i = 1; i < MAX_EVENT_SOCKETS; i += 1) await opened(caller)
    await opened(caller)
    expect(await first.closed).toBe(SOCKET_CLOSED.displaced)
    expect(await openSockets(caller)).toBe(MAX_EVENT_SOCKETS)
  })

  it('keeps its place beside a key that opens many', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const quiet = await opened(caller)
    await quiet.next()
    for (let i = 0; i < 2 * MAX_EVENT_SOCKETS; i += 1) await opened({ ...caller, identity: device })
    expect(await openSockets(caller)).toBe(MAX_EVENT_SOCKETS)
    await caller.client.security.placeHold()
    expect(await quiet.next()).toBe('{"head":2}')
  })
})
