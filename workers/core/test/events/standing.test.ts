import { SOCKET_CLOSED } from '@svc/protocol/events/socket'
import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { type OpenSocket, opened } from './sockets.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Closed for good, and told of nothing after its first message. */
async function isCutOff({ socket, texts, closed }: OpenSocket): Promise<void> {
  await vi.waitFor(() => expect(socket.readyState).not.toBe(WebSocket.OPEN))
  expect(await closed).toBe(SOCKET_CLOSED.refused)
  expect(texts).toEqual([])
}

async function heard(caller: Parameters<typeof opened>[0]): Promise<OpenSocket> {
  const open = await opened(caller)
  await open.next()
  return open
}

describe('a socket ends with the standing of its key', () => {
  it('when its device is suspended', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const socket = await heard({ ...caller, identity: device })
    await caller.client.devices.suspend(device.deviceId)
    await isCutOff(socket)
  })

  it('when the root key is replaced, for the old key and its devices', async () => {
    const caller: TestCaller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const sockets = [await heard(caller), await heard({ ...caller, identity: device })]
    await rotated(caller)
    for (const { closed } of sockets) expect(await closed).toBe(SOCKET_CLOSED.refused)
  })

  it('when the identity is deactivated', async () => {
    const caller = await freshCaller()
    const socket = await heard(caller)
    await caller.client.security.deactivate()
    await isCutOff(socket)
  })
})
