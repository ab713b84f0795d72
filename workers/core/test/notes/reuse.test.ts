import { hashHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { ask, attach, freshCiphertext, stored, storedKeys, vaultPath } from './notes.fixture.ts'

let writer: TestCaller
beforeEach(async () => {
  writer = await freshCaller()
  await stored(writer, { noteId: 'n' })
})

const read = (id: string) => ask(writer, 'GET', vaultPath(writer, `/n/attachments/${id}`))
const usage = async () => (await ask(writer, 'GET', vaultPath(writer, '/storage'))).data
const pathOf = (id: string, hash: string) => vaultPath(writer, `/n/attachments/${id}?cipherHash=${hash}`)

async function expectNothing() {
  expect((await read('b')).status).toBe(404)
  expect(await storedKeys(writer)).toHaveLength(1)
}

describe('reuse=true', () => {
  const reuse = (id: string, hash: string, options: Parameters<typeof ask>[3] = {}) =>
    ask(writer, 'PUT', `${pathOf(id, hash)}&reuse=true`, options)

  it('refers to a ciphertext that the vault has, and uploads nothing', async () => {
    const bytes = freshCiphertext(500)
    await attach(writer, 'n', 'a', bytes)
    const first = await reuse('b', hashHex(bytes))
    expect(first).toMatchObject({ status: 200, data: { attachmentId: 'b', bytes: 500, seq: 2 } })
    expect((await reuse('b', hashHex(bytes))).data).toEqual(first.data)
    expect((await read('b')).bytes).toEqual(bytes)
    expect(await storedKeys(writer)).toHaveLength(2)
    expect(await usage()).toMatchObject({ bytesUsed: 564, objectCount: 2 })
    const other = await stored(writer)
    expect(await reuse('b', other.statement.cipherHash)).toMatchObject({ status: 409, error: 'attachment_exists' })
  })

  it('binds an empty body as every route does', async () => {
    const { statement } = await stored(writer)
    const bound = await reuse('b', statement.cipherHash, { claims: { bodyHash: hashHex(new Uint8Array()) } })
    expect(bound.status).toBe(200)
    const other = await reuse('c', statement.cipherHash, { claims: { bodyHash: hashHex(freshCiphertext()) } })
    expect(other).toMatchObject({ status: 401, error: 'unauthorized' })
  })

  it('cancels the pending collection of a ciphertext', async () => {
    const { statement } = await stored(writer, { noteId: 'gone' })
    await ask(writer, 'DELETE', vaultPath(writer, '/gone'))
    expect((await reuse('b', statement.cipherHash)).status).toBe(200)
    const { data } = await ask(writer, 'GET', vaultPath(writer, `/cas/${statement.cipherHash}`))
    expect(data).toMatchObject({ refs: 1, unreferencedSince: null })
  })

  it('is 404 for a ciphertext that does not exist, or is another owner’s', async () => {
    const { statement } = await stored(await freshCaller())
    for (const hash of [statement.cipherHash, '0'.repeat(96)]) {
      expect(await reuse('b', hash)).toMatchObject({ status: 404, error: 'not_found' })
    }
    await expectNothing()
  })

  it('allows no body, and a body allows no other value', async () => {
    const bytes = freshCiphertext()
    expect(await reuse('b', hashHex(bytes), { bytes })).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(await ask(writer, 'PUT', pathOf('b', hashHex(bytes)))).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
    const empty = hashHex(new Uint8Array())
    expect((await attach(writer, 'n', 'b', new Uint8Array())).status).toBe(400)
    expect((await ask(writer, 'PUT', `${pathOf('b', empty)}&reuse=false`)).status).toBe(400)
    await expectNothing()
  })
})
