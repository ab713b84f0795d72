import { hashHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { ask, attach, stored, vaultPath } from './notes.fixture.ts'

const BYTES = new Uint8Array(1_000).map((_, i) => i % 251)

let writer: TestCaller
beforeAll(async () => {
  writer = await freshCaller()
  await stored(writer, { noteId: 'n' })
  await attach(writer, 'n', 'a', BYTES)
})

const read = (range?: string, method = 'GET') =>
  ask(writer, method, vaultPath(writer, '/n/attachments/a'), range === undefined ? {} : { headers: { range } })

describe('an attachment', () => {
  it('is returned in full, tagged with its hash, and only for private caches', async () => {
    const { status, bytes, headers } = await read()
    expect({ status, bytes }).toEqual({ status: 200, bytes: BYTES })
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '1000',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      etag: `"${hashHex(BYTES)}"`,
    })
    expect(headers.has('content-range')).toBe(false)
  })

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-999', 0, 1_000],
    ['bytes=10-19', 10, 20],
    ['bytes=990-', 990, 1_000],
    ['bytes=999-5000', 999, 1_000],
    ['bytes=-1', 999, 1_000],
    ['bytes=-1000', 0, 1_000],
    ['bytes=-5000', 0, 1_000],
    ['BYTES=1-2', 1, 3],
  ])('is given in the range %s', async (range, start, end) => {
    const { status, bytes, headers } = await read(range)
    expect({ status, bytes }).toEqual({ status: 206, bytes: BYTES.slice(start, end) })
    expect(headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`)
    expect(headers.get('content-length')).toBe(String(end - start))
  })

  it.each(['bytes=1000-', 'bytes=1000-1001', 'bytes=-0', 'bytes=999999999999999-'])(
    'has no range %s, and says how long it is',
    async (range) => {
      const refused = await read(range)
      expect(refused).toMatchObject({ status: 416, error: 'range_not_satisfiable' })
      expect(refused.headers.get('content-range')).toBe('bytes */1000')
    },
  )

  it.each(['', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'items=0-1', 'bytes=a-b', 'bytes 0-1'])(
    'is given whole where nothing else is asked for: "%s"',
    async (range) => {
      expect(await read(range)).toMatchObject({ status: 200, bytes: BYTES })
    },
  )

  it('is returned in full to a client with a part of something else', async () => {
    const under = (tag: string) =>
      ask(writer, 'GET', vaultPath(writer, '/n/attachments/a'), { headers: { range: 'bytes=0-9', 'if-range': tag } })
    expect(await under(`"${hashHex(BYTES)}"`)).toMatchObject({ status: 206, bytes: BYTES.slice(0, 10) })
    expect(await under('"another"')).toMatchObject({ status: 200, bytes: BYTES })
  })

  it('is described without its bytes', async () => {
    const { status, bytes, headers } = await read(undefined, 'HEAD')
    expect({ status, length: bytes.length }).toEqual({ status: 200, length: 0 })
    expect(headers.get('content-length')).toBe('1000')
    expect(headers.get('etag')).toBe(`"${hashHex(BYTES)}"`)
  })

  it('that does not exist is 404 for every range', async () => {
    for (const rest of ['/n/attachments/b', '/m/attachments/a']) {
      const options = { headers: { range: 'bytes=0-1' } }
      expect(await ask(writer, 'GET', vaultPath(writer, rest), options)).toMatchObject({
        status: 404,
        error: 'not_found',
      })
    }
  })
})
