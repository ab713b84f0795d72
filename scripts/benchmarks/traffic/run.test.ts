import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { send } from '@svc/platform/callers/send'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MIX, type PlannedRequest } from './mix.ts'
import { sendWhenDue } from './run.ts'

let server: Server
let url: string
/** Pending requests by path. */
let held: Map<string, ServerResponse>
let arrived: string[]
let onArrival: () => void

beforeEach(async () => {
  held = new Map()
  arrived = []
  onArrival = () => {}
  server = createServer((request, response) => {
    arrived.push(request.url ?? '')
    held.set(request.url ?? '', response)
    onArrival()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const [kind] = MIX
function planned(path: string, more: Partial<PlannedRequest> = {}): PlannedRequest {
  if (!kind) throw new Error('no kind')
  return { kind, request: { method: 'GET', url: url + path }, status: 200, ...more }
}

function answer(path: string, status = 200): void {
  held.get(path)?.writeHead(status).end('{"is":"answered"}')
}

/** A clock that advances by itself. */
async function roundTrips(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const asked = send({ method: 'GET', url: `${url}/at-once` })
    await until(() => held.has('/at-once'))
    answer('/at-once')
    await asked
    held.delete('/at-once')
  }
}

const until = (has: () => boolean) =>
  new Promise<void>((resolve) => {
    onArrival = () => {
      if (has()) resolve()
    }
    onArrival()
  })

it('sends requests on time while earlier ones are pending', async () => {
  const running = sendWhenDue([planned('/first'), planned('/second')], [0, 5])
  await until(() => arrived.length === 2)
  answer('/second')
  answer('/first')
  const { samples } = await running
  expect(samples.map(({ at, outcome }) => [at, outcome])).toEqual([
    [5, 'answered'],
    [0, 'answered'],
  ])
})

it('measures from the scheduled time, not from when the lane was free', async () => {
  const running = sendWhenDue([planned('/first', { lane: 'chain' }), planned('/second', { lane: 'chain' })], [0, 0])
  await until(() => arrived.length === 1)
  const heldSince = performance.now()
  await roundTrips(50)
  const heldFor = performance.now() - heldSince
  answer('/first')
  await until(() => arrived.includes('/second'))
  answer('/second')
  const { samples } = await running
  expect(arrived.filter((path) => path !== '/at-once')).toEqual(['/first', '/second'])
  expect(samples.map(({ at }) => at)).toEqual([0, 0])
  for (const { milliseconds } of samples) expect(milliseconds).toBeGreaterThan(heldFor)
})

it('limits the requests in flight', async () => {
  const paths = ['/first', '/second', '/third']
  const running = sendWhenDue(
    paths.map((path) => planned(path)),
    [0, 0, 0],
    { atOnce: 2 },
  )
  await until(() => arrived.length === 2)
  await roundTrips(10)
  expect(arrived.filter((path) => path !== '/at-once')).toEqual(['/first', '/second'])
  answer('/second')
  await until(() => arrived.includes('/third'))
  answer('/third')
  answer('/first')
  expect((await running).samples).toHaveLength(3)
})

it('sends nothing more in a lane after a refusal, and reports nothing for it', async () => {
  const told: unknown[] = []
  const settle = (body: unknown) => told.push(body)
  const lane = { lane: 'chain', settle }
  const running = sendWhenDue([planned('/first', lane), planned('/second', lane)], [0, 0])
  await until(() => arrived.length === 1)
  answer('/first', 503)
  const { samples, spent } = await running
  expect(samples.map(({ outcome, status }) => [outcome, status])).toEqual([
    ['failed', 503],
    ['unsent', 0],
  ])
  expect(arrived).toEqual(['/first'])
  expect(told).toEqual([null])
  expect(spent).toEqual([])
})

it('keeps only answered requests with a credential', async () => {
  const signed = { request: { method: 'GET', url: `${url}/signed`, headers: { authorization: 'A' } } } as const
  const refused = { request: { method: 'GET', url: `${url}/refused`, headers: { authorization: 'B' } } } as const
  const told: unknown[] = []
  const settle = (body: unknown) => told.push(body)
  const requests = [planned('', { ...signed, settle }), planned('', refused), planned('/open')]
  const seen: string[] = []
  const running = sendWhenDue(requests, [0, 0, 0], {
    onSend: () => seen.push('sent'),
    onAnswer: (_, milliseconds) => seen.push(milliseconds > 0 ? 'answered' : 'at once'),
  })
  await until(() => arrived.length === 3)
  answer('/signed')
  answer('/refused', 401)
  answer('/open')
  const { samples, spent } = await running
  expect(spent).toEqual([signed.request])
  expect(seen).toEqual(['sent', 'sent', 'sent', 'answered', 'answered'])
  expect(told).toEqual([{ is: 'answered' }])
  expect(samples.map(({ outcome }) => outcome).toSorted()).toEqual(['answered', 'answered', 'refused'])
})

it('gets no answer to requests in flight when the server dies, and sends nothing more', async () => {
  const ended = new AbortController()
  const told: unknown[] = []
  const settle = (body: unknown) => told.push(body)
  const requests = [planned('/first', { settle }), planned('/never', { settle })]
  const running = sendWhenDue(requests, [0, 60_000], { ended: ended.signal })
  await until(() => arrived.length === 1)
  ended.abort()
  server.closeAllConnections()
  const { samples } = await running
  expect(samples.map(({ outcome }) => outcome)).toEqual(['broken'])
  expect(told).toEqual([null])
  expect(arrived).toEqual(['/first'])
})
