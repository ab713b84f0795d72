import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { MAX_ATTACHMENT_BYTES } from '@svc/protocol/notes/notes'
import type { TestDevice } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, sendWith } from '../../harness.ts'
import { interposed, memberOf, rotated } from '../../rotation/rotation.fixture.ts'
import { ask, attach, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import {
  append,
  at,
  broken,
  ciphertext,
  DAY_MS,
  HOUR_MS,
  keeper,
  storeWith,
  upload,
  vaultsWith,
  version,
} from '../vault.fixture.ts'

const ONE_NOTE = { bytes: 64, objects: 1, refs: 1 }
/** SHA3-384 of 26,214,400 bytes of 7. */
const SEVENS = 'b6910b7e7a1abd5484e351f696059a48f659f73279882866e2f8c099bc23370bba11094eb184721e041734a173c9c037'
const LENGTH = { 'content-length': '64' }

afterEach(() => {
  vi.useRealTimers()
})

describe('an upload that was allowed when it began', () => {
  const changes = [
    ['revoked', ({ owner, device }: TestDevice) => owner.client.devices.revoke(device.deviceId)],
    ['suspended', ({ owner, device }: TestDevice) => owner.client.devices.suspend(device.deviceId)],
    [
      'left without the capability',
      ({ owner, device }: TestDevice) =>
        owner.client.devices.change(device.deviceId, { event: 'capabilities', capabilities: ['notes:read'] }),
    ],
    ['of an earlier root key', ({ owner }: TestDevice) => rotated(owner)],
  ] as const

  it.each(changes)('leaves nothing when its device is %s before its last byte', async (_, change) => {
    const { caller } = await keeper()
    const device = await memberOf(caller, 'notes:read', 'notes:write')
    const meanwhile = sendWith(storeWith({ after: { put: () => change(device) } }))
    const answer = await attach(device, 'note', 'a', ciphertext(1), { fetch: meanwhile, headers: LENGTH })
    expect(answer).toMatchObject({ status: 401, error: 'unauthorized' })
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
  })

  it('leaves nothing when its root key is superseded before its last byte', async () => {
    const { caller } = await keeper()
    const meanwhile = sendWith(storeWith({ before: { put: () => rotated(caller) } }))
    expect(await upload(caller, 'note', 'a', ciphertext(1), meanwhile)).toMatchObject({ status: 401 })
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
  })

  it('is refused when nobody can say whether it still is', async () => {
    const { caller } = await keeper()
    const failing = sendWith(interposed({ before: { stillActs: broken } }))
    const answer = await upload(caller, 'note', 'a', ciphertext(1), failing)
    expect(answer).toMatchObject({ status: 503, error: 'dependency_unavailable' })
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    expect(await upload(caller, 'note', 'a', ciphertext(1))).toMatchObject({ status: 200 })
  })
})

describe('an upload that takes long', () => {
  it.each([
    [HOUR_MS, 200, 2],
    [HOUR_MS + 1, 503, 1],
  ])('of %i milliseconds is answered with %i', async (duration, status, objects) => {
    at(Date.now() + DAY_MS)
    const { caller } = await keeper()
    const later = { put: () => at(Date.now() + duration) }
    const { status: answered } = await upload(
      caller,
      'note',
      'a',
      ciphertext(1),
      sendWith(storeWith({ before: later })),
    )
    expect(answered).toBe(status)
    const note = await version(caller, 'other', ciphertext(2))
    expect((await append(caller, note, sendWith(storeWith({ after: later })))).status).toBe(status)
    expect(await vaultOf(caller).usage()).toMatchObject({ objects: 2 * objects - 1 })
    expect(await storedKeys(caller)).toHaveLength(2 * objects - 1)
  })

  it('is not taken for an upload that nobody wants while it may still be', async () => {
    const { caller } = await keeper()
    const collecting = sendWith(vaultsWith({ before: { attach: () => caller.client.notes.collect() } }))
    expect(await upload(caller, 'note', 'a', ciphertext(1), collecting)).toMatchObject({ status: 200 })
    expect((await ask(caller, 'GET', vaultPath(caller, '/note/attachments/a'))).bytes).toEqual(ciphertext(1))
  })
})

describe('an upload that breaks off', () => {
  it('leaves nothing, and is taken when it is sent again', async () => {
    const { caller } = await keeper()
    const whole = ciphertext(1, 200_000)
    const parts = [
      { stop: 'error' as const, after: 100_000 },
      { stop: 'close' as const, after: 199_999 },
    ]
    for (const { stop, after } of parts) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(whole.slice(0, after)),
        pull: (controller) =>
          stop === 'error' ? controller.error(new Error('the connection broke')) : controller.close(),
      })
      const headers = { 'content-length': '200000' }
      const path = vaultPath(caller, `/note/attachments/a?cipherHash=${hashHex(whole)}`)
      const answer = await ask(caller, 'PUT', path, { bytes: body, headers, fetch: sendWith({}) })
      expect(answer).toMatchObject({ status: 503, error: 'dependency_unavailable' })
      expect(await storedKeys(caller)).toHaveLength(1)
      expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    }
    expect(await upload(caller, 'note', 'a', whole)).toMatchObject({ status: 200, data: { seq: 1, bytes: 200_000 } })
  })
})

describe('an upload of 25 MiB', () => {
  it('is passed on as it is taken, and never held', async () => {
    const { caller } = await keeper()
    const chunk = ciphertext(7, 65_536)
    let [given, taken, ahead, largest, parts] = [0, 0, 0, 0, 0]
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(chunk.slice())
          given += chunk.length
          if (given === MAX_ATTACHMENT_BYTES) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const slow = {
      async put(_: string, stream: ReadableStream<Uint8Array>) {
        for await (const part of stream) {
          taken += part.length
          ahead = Math.max(ahead, given - taken)
          largest = Math.max(largest, part.length)
          parts += 1
          if (parts % 100 === 0) await env.BLOBS.head('the pace of a slow store')
        }
      },
    }
    const path = vaultPath(caller, `/note/attachments/a?cipherHash=${SEVENS}`)
    const headers = { 'content-length': String(MAX_ATTACHMENT_BYTES) }
    const answer = await ask(caller, 'PUT', path, { bytes: body, headers, fetch: sendWith({ BLOBS: slow }) })
    expect(answer).toMatchObject({ status: 200, data: { bytes: MAX_ATTACHMENT_BYTES, cipherHash: SEVENS } })
    expect(taken).toBe(MAX_ATTACHMENT_BYTES)
    expect(ahead).toBeLessThan(1024 * 1024)
    expect(largest).toBeLessThan(1024 * 1024)
  })
})

describe('a credential that ends meanwhile', () => {
  it('does not end what its owner does with the next', async () => {
    const { caller } = await keeper()
    const { next } = await rotated(caller)
    expect(await upload(caller, 'note', 'a', ciphertext(1))).toMatchObject({ status: 401 })
    expect(await upload(next, 'note', 'a', ciphertext(1))).toMatchObject({ status: 200, data: { seq: 1 } })
    expect(await call(next, 'GET', '/api/chain/head')).toMatchObject({ status: 200 })
  })
})
