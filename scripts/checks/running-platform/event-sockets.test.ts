import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { Client, Identity } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { eventTicketSchema, protocolsWith, SOCKET_CLOSED, SOCKET_PROTOCOL } from '@svc/protocol/events/socket'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { expect, it, vi } from 'vitest'

const { core, did } = sharedPlatform().urls as { readonly core: string; readonly did: string }
const { discovery } = await Client.connect({ core })
const url = `${core}/api/events/socket`
const CLOSE_FRAME = 0x88

async function owner() {
  const identity = await Identity.create()
  const client = new Client({ core, did, origin: 'http://localhost:3000', identity })
  await client.chain.genesis()
  return { identity, client }
}

async function ticketFor(identity: Identity): Promise<string> {
  const tickets = `${core}/api/events/tickets`
  const now = Date.now()
  const authorization = await identity.assertion({
    audience: 'chain',
    method: 'POST',
    url: tickets,
    body: undefined,
    now,
  })
  const response = await fetch(tickets, { method: 'POST', headers: { authorization } })
  return envelopeOf(eventTicketSchema).parse(await response.json()).data.ticket
}

it('a WebSocket of the runtime is told of events', async () => {
  const { identity, client } = await owner()
  const socket = new WebSocket(url.replace('http', 'ws'), protocolsWith(await ticketFor(identity)))
  const texts: unknown[] = []
  const { promise: second, resolve } = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    if (texts.push(data) === 2) resolve()
    else void client.security.placeHold()
  })
  await second
  expect(socket.protocol).toBe(SOCKET_PROTOCOL)
  expect(texts).toEqual(['{"head":0}', '{"head":1}'])
  const { promise: closed, resolve: onClose } = Promise.withResolvers<number>()
  socket.addEventListener('close', ({ code }) => onClose(code))
  socket.close()
  expect(await closed).toBeLessThan(1006)
})

it('the SDK watches the feed with it', async () => {
  const { client, identity } = await owner()
  const opened: WebSocket[] = []
  class Counted extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols)
      opened.push(this)
    }
  }
  const watcher = new Client({
    core,
    did,
    origin: 'http://localhost:3000',
    identity,
    WebSocket: Counted,
    discovery: discovery!,
  })
  const kinds: string[] = []
  await client.security.placeHold()
  for await (const { events } of watcher.events.watch()) {
    kinds.push(...events.map(({ kind }) => kind))
    if (kinds.length > 1) break
    await vi.waitFor(() => expect(opened[0]?.readyState).toBe(WebSocket.OPEN))
    setTimeout(() => void client.security.liftHold(), 100)
  }
  expect(kinds).toEqual(['hold.placed', 'hold.lifted'])
  await vi.waitFor(() => expect(opened[0]?.readyState).toBe(WebSocket.CLOSED))
  expect(opened).toHaveLength(1)
})

it('a plain request is told what to do', async () => {
  const { identity } = await owner()
  const protocols = protocolsWith(await ticketFor(identity)).join(', ')
  const response = await fetch(url, { headers: { 'sec-websocket-protocol': protocols } })
  expect([response.status, response.headers.get('x-error-name')]).toEqual([426, 'upgrade_required'])
})

/** A masked text frame of less than 126 bytes. */
function frameOf(text: string): Buffer {
  const [bytes, mask] = [Buffer.from(text), randomBytes(4)]
  const masked = bytes.map((byte, i) => byte ^ (mask[i % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length]), mask, masked])
}

async function rawSocket(ticket: string): Promise<{ readonly socket: Socket; readonly received: () => Buffer }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = Buffer.alloc(0)
  socket.on('error', () => {})
  const { promise: opened, resolve } = Promise.withResolvers<void>()
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes as Buffer])
    if (received.includes('\r\n\r\n')) resolve()
  })
  const headers = [
    'GET /api/events/socket HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Protocol: ${protocolsWith(ticket).join(', ')}`,
  ]
  socket.write(`${headers.join('\r\n')}\r\n\r\n`)
  await opened
  return { socket, received: () => received }
}

it('a client that says anything is told to be silent', async () => {
  const { identity } = await owner()
  const { socket, received } = await rawSocket(await ticketFor(identity))
  expect(received().toString('latin1')).toMatch(/^HTTP\/1.1 101 /)
  socket.write(frameOf('hello'))
  await vi.waitFor(() => expect(received().includes(CLOSE_FRAME)).toBe(true))
  const frame = received().lastIndexOf(CLOSE_FRAME)
  expect(received().readUInt16BE(frame + 2)).toBe(SOCKET_CLOSED.misused)
  socket.destroy()
})
