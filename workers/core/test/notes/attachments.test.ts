import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { deviceOf, type TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshCaller, send, sendWith } from '../harness.ts'
import { ask, attach, freshCiphertext, stored, storedKeys, vaultOf, vaultPath } from './notes.fixture.ts'

const MAX_BYTES = 26_214_400
/** SHA3-384 of so many zeros. */
const HASH_OF_ZEROS = 'd2c702e94ca68836f945b877471cfe827796964cfef6e1097093a43fed70786b3ab3f51d151d2a49767f03d68911cebf'

let writer: TestCaller
beforeEach(async () => {
  writer = await freshCaller()
  await stored(writer, { noteId: 'n' })
})

const read = (id: string) => ask(writer, 'GET', vaultPath(writer, `/n/attachments/${id}`))
const usage = async () => (await ask(writer, 'GET', vaultPath(writer, '/storage'))).data
const pathOf = (id: string, hash: string) => vaultPath(writer, `/n/attachments/${id}?cipherHash=${hash}`)
/** A stream whose length the runtime does not count for us. */
const direct = sendWith({})
const octets = { 'content-type': 'application/octet-stream' }

/** What rejected requests leave behind: only the note. */
async function expectNothing() {
  expect((await read('a')).status).toBe(404)
  expect(await usage()).toMatchObject({ bytesUsed: 64, objectCount: 1 })
  expect(await storedKeys(writer)).toHaveLength(1)
  expect((await ask(writer, 'GET', vaultPath(writer))).data).toMatchObject({ size: 1 })
}

describe('PUT /api/notes/{did}/{noteId}/attachments/{attId}', () => {
  it('stores bytes as they are, and returns what it stored', async () => {
    const bytes = freshCiphertext(300_000)
    const { status, data } = await attach(writer, 'n', 'a', bytes)
    const cipherHash = hashHex(bytes)
    const taken = { attachmentId: 'a', cipherHash, bytes: 300_000, seq: 1, addedAt: expect.any(Number) }
    expect({ status, data }).toEqual({ status: 200, data: taken })
    expect((await read('a')).bytes).toEqual(bytes)
    expect((await ask(writer, 'GET', vaultPath(writer, '/n'))).data).toMatchObject({ attachments: [data] })
  })

  it('accepts a stream with a declared length', async () => {
    const bytes = freshCiphertext(200_000)
    const { readable, writable } = new FixedLengthStream(bytes.length)
    const writing = (async () => {
      const sink = writable.getWriter()
      for (let at = 0; at < bytes.length; at += 30_000) await sink.write(bytes.subarray(at, at + 30_000))
      await sink.close()
    })()
    const answer = await ask(writer, 'PUT', pathOf('a', hashHex(bytes)), { bytes: readable })
    await writing
    expect(answer.status).toBe(200)
    expect((await read('a')).bytes).toEqual(bytes)
  })

  it('is idempotent, and keeps one object', async () => {
    const bytes = freshCiphertext()
    const first = await attach(writer, 'n', 'a', bytes)
    expect((await attach(writer, 'n', 'a', bytes)).data).toEqual(first.data)
    const full = await attach(writer, 'n', 'a', bytes, { fetch: sendWith({ NOTES_QUOTA_BYTES: 0 }) })
    expect(full.data).toEqual(first.data)
    expect(await storedKeys(writer)).toHaveLength(2)
    expect((await ask(writer, 'GET', vaultPath(writer))).data).toMatchObject({ size: 2 })
  })

  it('never changes an existing one', async () => {
    const bytes = freshCiphertext()
    await attach(writer, 'n', 'a', bytes)
    const other = await attach(writer, 'n', 'a', freshCiphertext())
    expect(other).toMatchObject({ status: 409, error: 'attachment_exists' })
    expect((await read('a')).bytes).toEqual(bytes)
    expect(await storedKeys(writer)).toHaveLength(2)
  })

  it('counts shared ciphertext once, and deletes the surplus upload', async () => {
    const bytes = freshCiphertext(1_000)
    await attach(writer, 'n', 'a', bytes)
    const second = await attach(writer, 'n', 'b', bytes, { fetch: sendWith({ NOTES_QUOTA_BYTES: 1_064 }) })
    expect(second).toMatchObject({ status: 200, data: { attachmentId: 'b', bytes: 1_000, seq: 2 } })
    expect(await usage()).toMatchObject({ bytesUsed: 1_064, objectCount: 2 })
    await runDurableObjectAlarm(vaultOf(writer))
    expect(await storedKeys(writer)).toHaveLength(2)
    expect((await read('b')).bytes).toEqual(bytes)
  })

  it('with another hash is rejected, and nothing of it is kept', async () => {
    const bytes = freshCiphertext(100_000)
    const cipherHash = hashHex(freshCiphertext())
    const refused = await attach(writer, 'n', 'a', bytes, { cipherHash })
    expect(refused).toMatchObject({ status: 400, error: 'hash_mismatch' })
    await expectNothing()
    const head = await ask(writer, 'HEAD', vaultPath(writer, `/cas/${cipherHash}`))
    expect(head.status).toBe(404)
  })

  it('enforces a bodyHash claim against cipherHash, and cipherHash against the body', async () => {
    const bytes = freshCiphertext()
    const [bodyHash, another] = [hashHex(bytes), hashHex(freshCiphertext())]
    const claimed = await attach(writer, 'n', 'a', bytes, { claims: { bodyHash: another } })
    expect(claimed).toMatchObject({ status: 401, error: 'unauthorized' })
    const swapped = await attach(writer, 'n', 'a', bytes, { claims: { bodyHash: another }, cipherHash: another })
    expect(swapped).toMatchObject({ status: 400, error: 'hash_mismatch' })
    await expectNothing()
    expect((await attach(writer, 'n', 'a', bytes, { claims: { bodyHash } })).status).toBe(200)
  })

  it('of several cipherHash parameters binds the one that is enforced', async () => {
    const bytes = freshCiphertext()
    const [good, another] = [hashHex(bytes), hashHex(freshCiphertext())]
    const path = `${pathOf('a', another)}&cipherHash=${good}`
    const refused = await ask(writer, 'PUT', path, { bytes, claims: { bodyHash: good } })
    expect(refused.status).toBe(401)
    await expectNothing()
  })

  it.each([
    '',
    '?cipherHash=',
    '?cipherHash=abc',
    `?cipherHash=${'A'.repeat(96)}`,
    `?cipherHash=${'a'.repeat(96)}&x=1`,
  ])('is not asked with "%s"', async (query) => {
    const path = vaultPath(writer, `/n/attachments/a${query}`)
    expect(await ask(writer, 'PUT', path, { bytes: freshCiphertext() })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
    await expectNothing()
  })

  it.each(['.a', '~a', 'a b', 'a'.repeat(129)])('rejects the attachment name "%s"', async (id) => {
    const refused = await attach(writer, 'n', encodeURIComponent(id), freshCiphertext())
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('accepts only octets', async () => {
    const bytes = freshCiphertext()
    for (const type of ['application/json', 'text/plain', '']) {
      const refused = await attach(writer, 'n', 'a', bytes, { headers: { 'content-type': type } })
      expect(refused).toMatchObject({ status: 415, error: 'unsupported_media_type' })
    }
    const cased = { 'content-type': 'Application/Octet-Stream; x=y' }
    expect((await attach(writer, 'n', 'a', bytes, { headers: cased })).status).toBe(200)
  })

  it('requires the length of the body', async () => {
    const bytes = freshCiphertext()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const sink = writable.getWriter()
    void sink.write(bytes).catch(() => {})
    const refused = await ask(writer, 'PUT', pathOf('a', hashHex(bytes)), { bytes: readable, headers: octets })
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' })
    for (const declared of ['', 'x', '-1', '1e3', '64, 64', '0x40']) {
      const headers = { 'content-length': declared }
      expect((await attach(writer, 'n', 'a', bytes, { headers, fetch: direct })).status).toBe(400)
    }
    await expectNothing()
  })

  it.each([1, 63, 65, 1_000])('rejects 64 bytes that claim to be %i', async (declared) => {
    const bytes = freshCiphertext(64)
    const options = { headers: { 'content-length': String(declared) }, fetch: direct }
    expect((await attach(writer, 'n', 'a', bytes, options)).status).toBeGreaterThanOrEqual(400)
    await expectNothing()
  })

  it('accepts 25 MiB', async () => {
    const taken = await attach(writer, 'n', 'a', new Uint8Array(MAX_BYTES), { cipherHash: HASH_OF_ZEROS })
    expect(taken).toMatchObject({ status: 200, data: { bytes: MAX_BYTES } })
    const { bytes } = await read('a')
    expect({ length: bytes.length, other: bytes.findIndex((byte) => byte !== 0) }).toEqual({
      length: MAX_BYTES,
      other: -1,
    })
  }, 60_000)

  it('accepts not a byte more', async () => {
    const cipherHash = hashHex(freshCiphertext())
    const refused = await attach(writer, 'n', 'a', new Uint8Array(MAX_BYTES + 1), { cipherHash })
    expect(refused).toMatchObject({ status: 413, error: 'payload_too_large' })
    await expectNothing()
  })

  it('is rejected over quota before any byte is passed on, exactly', async () => {
    const puts: string[] = []
    const put = (key: string, ...rest: unknown[]) => {
      puts.push(key)
      return (env.BLOBS.put as (...operands: unknown[]) => unknown)(key, ...rest)
    }
    const BLOBS = { put, delete: (keys: string[]) => env.BLOBS.delete(keys) }
    const bytes = freshCiphertext(100)
    const full = await attach(writer, 'n', 'a', bytes, { fetch: sendWith({ NOTES_QUOTA_BYTES: 163, BLOBS }) })
    expect(full).toMatchObject({ status: 402, error: 'storage_quota' })
    expect(puts).toEqual([])
    await expectNothing()
    const enough = { fetch: sendWith({ NOTES_QUOTA_BYTES: 164, BLOBS }) }
    expect((await attach(writer, 'n', 'a', bytes, enough)).status).toBe(200)
  })

  it('for an unknown note is 404', async () => {
    expect(await attach(writer, 'never', 'a', freshCiphertext())).toMatchObject({ status: 404, error: 'not_found' })
    await expectNothing()
  })

  it('is rejected from a device revoked during the upload', async () => {
    const { assertion, device } = await deviceOf(writer, { fetch: send, capabilities: ['notes:write'] })
    const bytes = freshCiphertext(64)
    const { readable, writable } = new FixedLengthStream(64)
    const path = pathOf('a', hashHex(bytes))
    const headers = { ...octets, 'content-length': '64', authorization: await assertion('notes') }
    const sink = writable.getWriter()
    const sending = ask(null, 'PUT', path, { bytes: readable, headers, fetch: direct })
    await sink.write(bytes.subarray(0, 32))
    await writer.client.devices.revoke(device.deviceId)
    await sink.write(bytes.subarray(32))
    await sink.close()
    expect(await sending).toMatchObject({ status: 401, error: 'unauthorized' })
    await expectNothing()
  })
})
