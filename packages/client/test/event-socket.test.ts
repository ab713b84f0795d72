import { PING, PONG, protocolsWith, SOCKET_CLOSED, ticketOf } from '@svc/protocol/events/socket'
import { describe, expect, it, vi } from 'vitest'
import type { Client } from '../src/client.ts'
import { MAX_QUIET_MS, pauseAfter } from '../src/events/socket.ts'
import { LiveFeed } from './live-feed.ts'
import { alice } from './sides.ts'

const PING_MS = 45_000
const IN_VAIN_MS = 1000
const head = (sequence: number) => ({ data: JSON.stringify({ head: sequence }) })

/** Watches in the background, and keeps the numbers of the events. */
function watching(client: Client) {
  const seen: number[] = []
  const over = new AbortController()
  const watch = async () => {
    for await (const { events } of client.with({ signal: over.signal }).events.watch()) {
      seen.push(...events.map(({ sequence }) => sequence))
    }
  }
  const ended = watch().catch((error: unknown) => error)
  const stop = (reason: unknown) => {
    over.abort(reason)
    return ended
  }
  return { seen, ended, stop }
}

/** Watches with an open socket, which has told of the first event. */
async function told(feed = new LiveFeed()) {
  const watch = watching(feed.clientOf())
  await vi.waitFor(() => expect(feed.sockets).toHaveLength(1))
  feed.socket.tell('open')
  feed.add()
  await vi.waitFor(() => expect(feed.pauses.open).toContain(MAX_QUIET_MS))
  feed.socket.tell('message', head(1))
  expect(watch.seen).toEqual([1])
  return { feed, ...watch }
}

describe('watching with a WebSocket', () => {
  it('sends the ticket as a subprotocol, and nothing secret in an address', async () => {
    const { feed, stop } = await told()
    const ticket = ticketOf(alice.did, 'S'.repeat(43))
    expect(feed.socket.url).toMatch(/^wss:\/\/[^/?#]+\/api\/events\/socket$/)
    expect(feed.socket.protocols).toEqual(protocolsWith(ticket))
    expect(feed.urls.filter((url) => url.includes('SSSS'))).toEqual([])
    await stop('enough')
  })

  it('reads when it is told that there is more, and does not wait then', async () => {
    const { feed, seen, stop } = await told()
    feed.add()
    feed.socket.tell('message', head(2))
    await vi.waitFor(() => expect(seen).toEqual([1, 2]))
    expect(feed.asked).toEqual(['0 waits', '1', '1'])
    await stop('enough')
  })

  it('does not lose what it is told while it reads', async () => {
    const { feed, seen, stop } = await told()
    feed.add()
    feed.socket.tell('message', head(2))
    feed.add()
    feed.socket.tell('message', head(3))
    await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]))
    await stop('enough')
  })

  it('reads after five minutes, whatever it was told', async () => {
    const { feed, seen, stop } = await told()
    feed.add()
    feed.pauses.end(MAX_QUIET_MS)
    await vi.waitFor(() => expect(seen).toEqual([1, 2]))
    await stop('enough')
  })

  it.each([head(99), head(0), { data: 'nonsense' }, { data: '{"head":-1}' }, { data: new Uint8Array(3) }])(
    'reads for a lie, kind %#, but once a second at most',
    async (lie) => {
      const { feed, seen, stop } = await told()
      const before = feed.asked.length
      feed.socket.tell('message', lie)
      await vi.waitFor(() => expect(feed.pauses.open).toContain(IN_VAIN_MS))
      for (let i = 0; i < 50; i += 1) feed.socket.tell('message', lie)
      expect(feed.asked.length).toBe(before + 1)
      feed.pauses.end(IN_VAIN_MS)
      await vi.waitFor(() => expect(feed.asked.length).toBe(before + 2))
      expect(seen).toEqual([1])
      await stop('enough')
    },
  )

  it('waits by requests when the socket is lost, and comes back', async () => {
    const { feed, seen, stop } = await told()
    feed.socket.tell('close', { code: 1006 })
    await vi.waitFor(() => expect(feed.asked.at(-1)).toBe('1 waits'))
    feed.add()
    await vi.waitFor(() => expect(seen).toEqual([1, 2]))
    feed.pauses.end(750)
    await vi.waitFor(() => expect(feed.sockets).toHaveLength(2))
    await stop('enough')
  })

  it('pings, and takes a silent connection for a broken one', async () => {
    const { feed, stop } = await told()
    feed.pauses.end(PING_MS)
    await vi.waitFor(() => expect(feed.socket.sent).toEqual([PING]))
    feed.socket.tell('message', { data: PONG })
    await vi.waitFor(() => expect(feed.pauses.open).toContain(PING_MS))
    feed.pauses.end(PING_MS)
    await vi.waitFor(() => expect(feed.socket.sent).toEqual([PING, PING]))
    await vi.waitFor(() => expect(feed.pauses.open).toContain(PING_MS))
    feed.pauses.end(PING_MS)
    await vi.waitFor(() => expect(feed.socket.isClosed).toBe(true))
    await vi.waitFor(() => expect(feed.asked.at(-1)).toBe('1 waits'))
    await stop('enough')
  })

  it('ends with the signal, and closes the socket', async () => {
    const { feed, stop } = await told()
    expect(await stop('enough')).toBe('enough')
    expect(feed.socket.isClosed).toBe(true)
    expect(feed.pauses.open).toEqual([])
  })

  it('closes the socket when the loop is left', async () => {
    const feed = new LiveFeed()
    feed.add()
    for await (const { total } of feed.clientOf().events.watch()) {
      expect(total).toBe(1)
      await vi.waitFor(() => expect(feed.sockets).toHaveLength(1))
      break
    }
    expect(feed.socket.isClosed).toBe(true)
    expect(feed.pauses.open).toEqual([])
  })
})

describe('watching without a WebSocket', () => {
  it.each([404, 429, 503])('goes on by requests if there is no ticket: %i', async (status) => {
    const feed = new LiveFeed()
    feed.tickets = status
    const { seen, stop } = watching(feed.clientOf({ retries: false }))
    feed.add()
    await vi.waitFor(() => expect(feed.asked).toEqual(['0 waits', '1 waits']))
    feed.add()
    await vi.waitFor(() => expect(seen).toEqual([1, 2]))
    expect(feed.sockets).toEqual([])
    await stop('enough')
  })

  it('goes on by requests if the connection is refused again and again, with pauses that grow', async () => {
    const feed = new LiveFeed()
    const { seen, stop } = watching(feed.clientOf())
    for (const [i, pause] of [750, 1500, 3000].entries()) {
      await vi.waitFor(() => expect(feed.sockets).toHaveLength(i + 1))
      feed.socket.tell('error')
      feed.socket.tell('close', { code: 1006 })
      await vi.waitFor(() => expect(feed.pauses.open).toEqual([pause]))
      feed.add()
      await vi.waitFor(() => expect(seen).toHaveLength(i + 1))
      feed.pauses.end(pause)
    }
    expect(feed.asked.every((asked) => asked.endsWith('waits'))).toBe(true)
    await stop('enough')
  })

  it('goes on by requests if the class throws', async () => {
    const feed = new LiveFeed()
    const broken = () => {
      throw new SyntaxError('no such protocol')
    }
    const { seen, stop } = watching(feed.clientOf({ WebSocket: broken as never }))
    feed.add()
    await vi.waitFor(() => expect(seen).toEqual([1]))
    await stop('enough')
  })

  it('does not use that of the runtime with a `fetch` of its own, nor any if there is to be none', async () => {
    const runtimes = vi.fn()
    vi.stubGlobal('WebSocket', runtimes)
    for (const WebSocket of [undefined, null]) {
      const feed = new LiveFeed()
      const { seen, stop } = watching(feed.clientOf({ WebSocket: WebSocket as null }))
      feed.add()
      await vi.waitFor(() => expect(seen).toEqual([1]))
      expect(feed.urls.filter((url) => url.endsWith('tickets'))).toEqual([])
      await stop('enough')
    }
    expect(runtimes).not.toHaveBeenCalled()
    vi.unstubAllGlobals()
  })
})

describe('the pause before another connection', () => {
  it('is long for a place that others have, and none ends what was refused', () => {
    expect(pauseAfter(SOCKET_CLOSED.displaced, 0, 0)).toBe(300_000)
    expect(pauseAfter(SOCKET_CLOSED.refused, 0, 0)).toBeNull()
    expect(pauseAfter(SOCKET_CLOSED.misused, 0, 0)).toBeNull()
  })

  it('grows up to five minutes, and differs between clients', () => {
    expect(pauseAfter(1006, 0, 0)).toBe(500)
    expect(pauseAfter(SOCKET_CLOSED.expired, 0, 0.5)).toBe(750)
    expect(pauseAfter(1006, 4, 0.5)).toBe(12_000)
    expect(pauseAfter(1006, 1000, 0)).toBe(150_000)
    expect(pauseAfter(1006, 1000, 0.999)).toBeLessThan(300_000)
  })
})
