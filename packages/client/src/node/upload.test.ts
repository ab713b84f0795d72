import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { hashHex } from '@svc/protocol/base/hash'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import type { Progress } from '../transport/progress.ts'
import { Transport, type TransportOptions } from '../transport/transport.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })

/** More than the buffers of a connection take. */
const BODY = Uint8Array.from({ length: 24 * 1024 * 1024 }, (_, i) => (i * 31) & 255)

let arrived = Promise.withResolvers<IncomingMessage>()
let goesOn = Promise.withResolvers<void>()
const server = createServer((request, response) => {
  arrived.resolve(request)
  void goesOn.promise
    .then(() => buffer(request))
    .then((body) => response.end(JSON.stringify({ bytes: body.length, hash: hashHex(body) })))
    // The client has gone.
    .catch(() => response.destroy())
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

function put(onSent: (progress: Progress) => void, options: Partial<TransportOptions> = {}) {
  arrived = Promise.withResolvers()
  goesOn = Promise.withResolvers()
  const { port } = server.address() as AddressInfo
  const transport = new Transport({ realm: REALM, ...options }, alice)
  return transport.send({ method: 'PUT', url: `http://127.0.0.1:${port}/file`, audience: 'notes', bytes: BODY, onSent })
}

describe('an upload that is counted', () => {
  it('tells what went out, not what is to be sent, and declares its length', async () => {
    const told: Progress[] = []
    const sent = put((progress) => told.push(progress))
    const request = await arrived.promise
    expect(request.headers['content-length']).toBe(String(BODY.length))
    expect(request.headers['transfer-encoding']).toBeUndefined()
    expect(told[0]).toEqual({ done: 0, total: BODY.length })
    expect(told.at(-1)!.done).toBeLessThan(BODY.length)
    goesOn.resolve()
    const answer = await sent
    expect(await answer.json()).toEqual({ bytes: BODY.length, hash: hashHex(BODY) })
    expect(told.at(-1)).toEqual({ done: BODY.length, total: BODY.length })
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b))
    expect(told.length).toBeGreaterThan(100)
  })

  it('ends when the caller aborts it', async () => {
    const controller = new AbortController()
    const sent = put(() => {}, { signal: controller.signal })
    await arrived.promise
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    goesOn.resolve()
  })

  it('tells beginning and end when a custom fetch sends it', async () => {
    const told: Progress[] = []
    const fetch = async () => Response.json({})
    await put((progress) => told.push(progress), { fetch })
    expect(told).toEqual([0, BODY.length].map((done) => ({ done, total: BODY.length })))
  })
})
