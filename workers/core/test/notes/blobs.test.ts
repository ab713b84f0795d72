import { hashHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { ask, attach, freshCiphertext, stored, vaultPath } from './notes.fixture.ts'

const BYTES = new Uint8Array(1_000).map((_, i) => i % 251)

let writer: TestCaller
beforeAll(async () => {
  writer = await freshCaller()
  await stored(writer, { noteId: 'n' })
  await attach(writer, 'n', 'a', BYTES)
})

describe('the dedup probe', () => {
  const probe = (hash: string, by = writer) => ask(by, 'HEAD', vaultPath(by, `/cas/${hash}`))

  it('returns 200, 404 or 400, and never a body', async () => {
    const answers = []
    for (const hash of [hashHex(BYTES), '0'.repeat(96), 'x', hashHex(BYTES).toUpperCase(), 'a'.repeat(95)]) {
      const { status, bytes } = await probe(hash)
      answers.push([status, bytes.length])
    }
    expect(answers).toEqual([
      [200, 0],
      [404, 0],
      [400, 0],
      [400, 0],
      [400, 0],
    ])
  })

  it('as GET returns the reference count of a ciphertext', async () => {
    const cipherHash = hashHex(BYTES)
    const { status, data } = await ask(writer, 'GET', vaultPath(writer, `/cas/${cipherHash}`))
    expect({ status, data }).toEqual({
      status: 200,
      data: { cipherHash, bytes: 1_000, refs: 1, unreferencedSince: null },
    })
  })

  it('reveals nothing about the blobs of other owners', async () => {
    const other = await freshCaller()
    const absent = await probe('0'.repeat(96), other)
    const elsewhere = await probe(hashHex(BYTES), other)
    expect(elsewhere.status).toBe(404)
    const told = ({ headers }: typeof absent) => [...headers].filter(([name]) => !/^x-request-id$/.test(name))
    expect(told(elsewhere)).toEqual(told(absent))
  })
})

describe('two owners of one ciphertext', () => {
  it('each have their own: in usage, references and store, and when one deletes it', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const ciphertext = freshCiphertext(100)
    const cipherHash = hashHex(ciphertext)
    for (const owner of [alice, bob]) {
      await stored(owner, { noteId: 'n', ciphertext })
      expect((await ask(owner, 'GET', vaultPath(owner, '/storage'))).data).toMatchObject({
        bytesUsed: 100,
        objectCount: 1,
      })
    }
    await ask(alice, 'DELETE', vaultPath(alice, '/n'))
    const { data } = await ask(bob, 'GET', vaultPath(bob, '/cas/refs'))
    expect(data).toEqual({ blobs: [{ cipherHash, bytes: 100, refs: 1, unreferencedSince: null }], next: null })
    expect((await ask(bob, 'GET', vaultPath(bob, '/n'))).status).toBe(200)
  })
})

describe('the references', () => {
  it('are listed by hash, in pages, each once', async () => {
    const owner = await freshCaller()
    const hashes: string[] = []
    for (let i = 0; i < 5; i++) hashes.push((await stored(owner)).statement.cipherHash)
    const listed: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after === '' ? '?limit=2' : `?limit=2&after=${after}`
      const { data } = await ask(owner, 'GET', vaultPath(owner, `/cas/refs${query}`))
      const { blobs, next } = data as { blobs: { cipherHash: string }[]; next: string | null }
      expect(blobs.length).toBe(next === null ? 1 : 2)
      listed.push(...blobs.map(({ cipherHash }) => cipherHash))
      after = next
    }
    expect(listed).toEqual(hashes.toSorted())
    expect((await ask(owner, 'GET', vaultPath(owner, '/cas/refs?limit=5'))).data).toMatchObject({ next: null })
  })

  it.each(['?after=x', '?limit=x', '?limit=-1', '?cursor=1'])('are rejected with %s', async (query) => {
    const refused = await ask(writer, 'GET', vaultPath(writer, `/cas/refs${query}`))
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('count versions and attachments, and report since when there have been none', async () => {
    const owner = await freshCaller()
    const ciphertext = freshCiphertext(100)
    const cipherHash = hashHex(ciphertext)
    await stored(owner, { noteId: 'n', ciphertext })
    await stored(owner, { noteId: 'n', operation: 'update', ciphertext })
    await attach(owner, 'n', 'a', ciphertext)
    const ref = async () => (await ask(owner, 'GET', vaultPath(owner, `/cas/${cipherHash}`))).data
    expect(await ref()).toEqual({ cipherHash, bytes: 100, refs: 3, unreferencedSince: null })
    expect((await ask(owner, 'GET', vaultPath(owner, '/storage'))).data).toMatchObject({
      bytesUsed: 100,
      objectCount: 1,
    })
    const before = Date.now()
    await ask(owner, 'DELETE', vaultPath(owner, '/n'))
    const { unreferencedSince, ...rest } = await ref()
    expect(rest).toEqual({ cipherHash, bytes: 100, refs: 0 })
    expect(unreferencedSince).toBeGreaterThanOrEqual(before)
  })
})
