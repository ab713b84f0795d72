import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { statementHash } from '@svc/protocol/base/statement'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import {
  ask,
  attach,
  freshCiphertext,
  kept,
  NOTHING_KEPT,
  noteBy,
  plant,
  post,
  stored,
  storedKeys,
  vaultOf,
  vaultPath,
} from './notes.fixture.ts'

const get = (by: TestCaller, rest = '') => ask(by, 'GET', vaultPath(by, rest))
const hashOf = ({ statement }: Awaited<ReturnType<typeof noteBy>>) => statementHash(statement)

describe('a note', () => {
  it('is returned as sent: the newest version, or the requested one', async () => {
    const writer = await freshCaller()
    const first = await stored(writer)
    const { noteId } = first.statement.header
    const second = await noteBy(writer, { noteId, operation: 'update', statement: { follows: hashOf(first) } })
    const { data: appended } = await post(writer, second)
    expect((await get(writer, `/${noteId}`)).data).toEqual({ ...appended, ...second, attachments: [] })
    expect((await get(writer, `/${noteId}/versions/2`)).data).toEqual({ ...appended, ...second })
    expect((await get(writer, `/${noteId}/versions/1`)).data).toMatchObject({ ...first, version: 1, seq: 0 })
  })

  it('that does not exist is 404, as are its versions', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'here' })
    const absent = ['/gone', '/gone/versions', '/gone/versions/1', '/here/versions/2', '/here/versions/0']
    for (const rest of [...absent, '/here/versions/999999999999999', '/here/attachments/none']) {
      expect(await get(writer, rest)).toMatchObject({ status: 404, error: 'not_found' })
    }
  })

  it.each([
    '/cas',
    '/.x',
    '/~x',
    '/here/versions/one',
    '/here/versions/-1',
    '/here/versions/1.0',
    '/here/versions/1e3',
  ])('is 404 as %s, which can name nothing', async (rest) => {
    expect(await get(await freshCaller(), rest)).toMatchObject({ status: 404, error: 'not_found' })
  })

  it.each([
    ['with a statement of an earlier type', { statement: { type: 'svc/note/v1', body: 'x' }, signatureB64u: 'x' }],
    ['of another maker', { v: 1, iv: 'AAAA', ct: 'AAAA' }],
    ['without a word of what it is', null],
  ])('that is an old record, %s, is 409 and shows nothing of it', async (_, record) => {
    const writer = await freshCaller()
    const { statement } = await stored(writer)
    const { noteId } = statement.header
    await runInDurableObject(vaultOf(writer), (__, { storage }) => {
      storage.sql.exec('UPDATE versions SET record = ?', JSON.stringify(record))
    })
    for (const rest of [`/${noteId}`, `/${noteId}/versions/1`]) {
      const refused = await get(writer, rest)
      expect(refused).toMatchObject({ status: 409, error: 'non_native_note_record', data: {} })
      expect(refused.body).not.toHaveProperty('details')
    }
  })
})

describe('the versions of a note', () => {
  let writer: TestCaller
  beforeAll(async () => {
    writer = await freshCaller()
    await stored(writer, { noteId: 'long' })
    await plant(writer, 'long', 600)
  })
  const page = async (query: string) =>
    (await get(writer, `/long/versions${query}`)).data as {
      versions: { version: number }[]
      next: number | null
    }

  it('have pages, ascending, of 100 by default and 500 at most', async () => {
    expect(await page('')).toMatchObject({ versions: { length: 100 }, next: 101 })
    expect((await page('?limit=9999')).versions).toHaveLength(500)
    expect((await page('?limit=0')).versions.map(({ version }) => version)).toEqual([1])
    const numbers: number[] = []
    for (let from: number | null = 1; from !== null; ) {
      const { versions, next }: Awaited<ReturnType<typeof page>> = await page(`?from=${from}&limit=250`)
      numbers.push(...versions.map(({ version }) => version))
      from = next
    }
    expect(numbers).toEqual(Array.from({ length: 601 }, (_, i) => i + 1))
  })

  it('end at the last one', async () => {
    expect(await page('?from=601')).toMatchObject({ versions: [{ version: 601 }], next: null })
    expect(await page('?from=602')).toEqual({ noteId: 'long', versions: [], next: null })
    expect(await page('?from=102&limit=500')).toMatchObject({ next: null })
    expect(await page('?from=101&limit=500')).toMatchObject({ next: 601 })
  })

  it.each(['?from=x', '?from=-1', '?limit=1.5', '?limit=', '?other=1', '?from=1234567890123456'])(
    'are not asked for with %s',
    async (query) => {
      const refused = await get(writer, `/long/versions${query}`)
      expect(refused).toMatchObject({ status: 400, error: 'invalid_request' })
    },
  )
})

describe('a vault never written to', () => {
  it('is empty for its owner, and stays without a table', async () => {
    const reader = await freshCaller()
    const { did } = reader.identity
    const empty = { notes: [], cursor: '0', more: false, size: 0 }
    expect((await get(reader)).data).toEqual(empty)
    const usage = { did, bytesUsed: 0, objectCount: 0, measuredAt: expect.any(Number) }
    expect((await get(reader, '/storage')).data).toEqual(usage)
    expect((await get(reader, '/cas/refs')).data).toEqual({ blobs: [], next: null })
    expect((await get(reader, '/export')).data).toMatchObject({ entries: [], cursor: null })
    for (const rest of ['/n', '/n/versions', '/n/versions/1', '/n/attachments/a', `/cas/${'0'.repeat(96)}`]) {
      expect(await get(reader, rest)).toMatchObject({ status: 404, error: 'not_found' })
    }
    expect(await ask(reader, 'DELETE', vaultPath(reader, '/n'))).toMatchObject({ status: 404 })
    expect(await attach(reader, 'n', 'a', freshCiphertext())).toMatchObject({ status: 404, error: 'not_found' })
    expect(await kept(reader)).toEqual(NOTHING_KEPT)
    expect(await storedKeys(reader)).toEqual([])
  })
})

it('the store holds the exact bytes of a ciphertext', async () => {
  const writer = await freshCaller()
  const ciphertext = freshCiphertext(1_000)
  const { statement } = await stored(writer, { ciphertext })
  const attached = freshCiphertext(500)
  await attach(writer, statement.header.noteId, 'a', attached)
  const objects = await Promise.all((await storedKeys(writer)).map(async (key) => (await env.BLOBS.get(key))?.bytes()))
  const bySize = objects.toSorted((one, two) => (two?.length ?? 0) - (one?.length ?? 0))
  expect(bySize).toEqual([ciphertext, attached])
  const rows = await runInDurableObject(vaultOf(writer), (_, { storage }) =>
    JSON.stringify(storage.sql.exec('SELECT * FROM versions, attachments').toArray()),
  )
  expect(rows).not.toContain(encodeBase64url(ciphertext).slice(0, 100))
})
