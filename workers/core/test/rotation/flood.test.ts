import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MAX_ROTATION_REQUESTS, ROTATION_REQUEST_PERIOD_MS, rotationIdOf } from '@svc/protocol/chain/rotation'
import type { TestCaller } from '@svc/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import { at, cosignBy, cosignerOf, opened, requestBy, rotated } from './rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function openedAndCancelled(caller: TestCaller): Promise<string> {
  const { rotationId } = (await opened(caller, 2)).rotation
  await caller.client.rotation.cancel(rotationId)
  return rotationId
}

it('a flood of requests is refused, but for a co-signed one', async () => {
  const [caller, bob] = [await freshCaller(), await freshCaller()]
  const { device } = await cosignerOf(caller)
  for (let i = 0; i < MAX_ROTATION_REQUESTS; i++) await openedAndCancelled(caller)
  await expect(opened(caller, 2)).rejects.toThrow('rotation_limit')
  await expect(caller.client.security.deactivate()).rejects.toMatchObject({ error: 'rotation_limit' })
  const request = await requestBy(caller.identity, await caller.identity.successor())
  const signed = await cosignBy(device, device.deviceId, caller.identity, rotationIdOf(request.statement))
  expect((await call(bob, 'POST', '/api/chain/rotation/cosign', { ...signed, request })).status).toBe(200)
}, 120_000)

it('a flood of requests of one root key does not limit the next one', async () => {
  const caller = await freshCaller()
  for (let i = 1; i < MAX_ROTATION_REQUESTS; i++) await openedAndCancelled(caller)
  const { next } = await rotated(caller)
  await openedAndCancelled(next)
}, 120_000)

it('what ended without a co-signature is deleted 30 days later, with the next request', async () => {
  const caller = await freshCaller()
  at(Date.now())
  const begun = Date.now()
  const first = await openedAndCancelled(caller)
  at(begun + 1)
  const second = await openedAndCancelled(caller)
  at(begun + ROTATION_REQUEST_PERIOD_MS)
  const { rotationId } = (await opened(caller, 2)).rotation
  const [rotations, signatures] = await runInDurableObject(
    env.IDENTITIES.getByName(caller.identity.did),
    (_, { storage: { sql } }) => [
      sql.exec<{ rotation_id: string }>('SELECT rotation_id FROM rotations').toArray(),
      sql.exec<{ rotation_id: string }>('SELECT rotation_id FROM rotation_signatures').toArray(),
    ],
  )
  expect(new Set(rotations.map((row) => row.rotation_id))).toEqual(new Set([second, rotationId]))
  expect(signatures.map((row) => row.rotation_id)).toEqual([second])
  expect([second, rotationId]).not.toContain(first)
})
