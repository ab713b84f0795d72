import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { MAX_EVENT_SOCKETS, PING, PONG, SOCKET_CLOSED, SOCKET_HOURS } from '@svc/protocol/events/socket'
import { deviceOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { at } from '../rotation/rotation.fixture.ts'
import { objectOf, opened, openSockets } from './sockets.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
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
