import { evictDurableObject } from 'cloudflare:test'
import { Client } from '@svc/client'
import { deviceOf, fetchOf, SERVICE_KEYS, type TestCaller } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { CORE, freshCaller, send } from '../harness.ts'
import { objectOf, socketsOver } from './sockets.fixture.ts'

/** Watches the feed of a caller with sockets over the Worker. */
function watching(
  { address }: TestCaller,
  by: Pick<ConstructorParameters<typeof Client>[0], 'identity' | 'device'>,
  fetch: typeof send = send,
) {
  const { made, SocketClass } = socketsOver(fetch)
  const requests: string[] = []
  const over = new AbortController()
  const client = new Client({
    core: CORE,
    did: 'https://did.test',
    ...SERVICE_KEYS,
    ...by,
    fetch: fetchOf((request) => {
      const { pathname, searchParams } = new URL(request.url)
      requests.push(pathname + (searchParams.has('wait') ? ' waits' : ''))
      return send(request)
    }),
    headers: { 'cf-connecting-ip': address },
    retries: false,
    WebSocket: SocketClass,
    signal: over.signal,
  })
  const seen: string[] = []
  const watch = async () => {
    for await (const { events } of client.events.watch()) seen.push(...events.map(({ kind }) => kind))
  }
  const ended = watch().catch((error: unknown) => error)
  return { seen, made, requests, ended, stop: () => over.abort(new Error('enough')) }
}

const ownerOf = (caller: TestCaller) => ({ identity: caller.identity })

describe('watching the feed', () => {
  it('is told by a socket once there is one', async () => {
    const caller = await freshCaller()
    const { seen, requests, made, stop, ended } = watching(caller, ownerOf(caller))
    await vi.waitFor(() => expect(made).toHaveLength(1))
    await caller.client.security.placeHold()
    await vi.waitFor(() => expect(seen).toEqual(['hold.placed']))
    await caller.client.security.liftHold()
    await vi.waitFor(() => expect(seen).toEqual(['hold.placed', 'hold.lifted']))
    await evictDurableObject(objectOf(caller))
    await caller.client.security.placeHold()
    await vi.waitFor(() => expect(seen).toEqual(['hold.placed', 'hold.lifted', 'hold.placed']))
    expect(requests.filter((request) => request.endsWith(' waits'))).toHaveLength(1)
    stop()
    expect(await ended).toMatchObject({ message: 'enough' })
  })

  it('goes on by requests where upgrades do not get through', async () => {
    const caller = await freshCaller()
    const stripped = (request: Request) => {
      const headers = new Headers(request.headers)
      headers.delete('upgrade')
      return send(new Request(request, { headers }))
    }
    const { seen, requests, stop, ended } = watching(caller, ownerOf(caller), stripped)
    await caller.client.security.placeHold()
    await vi.waitFor(() => expect(seen).toEqual(['hold.placed']))
    await caller.client.security.liftHold()
    await vi.waitFor(() => expect(seen).toEqual(['hold.placed', 'hold.lifted']))
    const reads = requests.filter((request) => request.startsWith('/api/events') && !request.endsWith('tickets'))
    expect(reads.every((request) => request.endsWith(' waits'))).toBe(true)
    stop()
    await ended
  })

  it('ends with a refusal when the device is revoked', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const { seen, made, ended } = watching(caller, { device })
    await vi.waitFor(() => expect(made).toHaveLength(1))
    await caller.client.security.placeHold()
    await caller.client.security.liftHold()
    await vi.waitFor(() => expect(seen).toEqual(['device.attested', 'hold.placed', 'hold.lifted']))
    await caller.client.devices.revoke(device.deviceId)
    expect(await ended).toMatchObject({ status: 401 })
  })
})
