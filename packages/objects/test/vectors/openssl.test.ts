/**
 * Checks the vectors of `records.json` with OpenSSL and the rules of the page on restoring. Imports nothing of the
 * platform, so that both cannot share a mistake.
 */
import * as openssl from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import vectors from './records.json' with { type: 'json' }

const [HEADER_BYTES, IV_BYTES, TAG_BYTES] = [24, 12, 16]
const sha256 = (bytes: string | Uint8Array) => openssl.createHash('sha256').update(bytes).digest('hex')
const hkdf = (info: string, bytes: number) =>
  Buffer.from(openssl.hkdfSync('sha256', Buffer.from(vectors.seedHex, 'hex'), 'svc/records/v2', info, bytes))

function opened(aes: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer {
  const decipher = openssl.createDecipheriv('aes-256-gcm', aes, sealed.subarray(0, IV_BYTES))
  decipher.setAAD(context)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}

/** Under the seed, in a bucket. */
function openedFile(
  file: Buffer,
  key: string,
  { magic, version, info }: Record<'magic' | 'info', string> & { version: number },
) {
  const header = file.subarray(0, HEADER_BYTES)
  expect(header).toEqual(
    Buffer.concat([Buffer.from(magic), Buffer.from([version >> 8, version & 255]), Buffer.from(vectors.keyId, 'hex')]),
  )
  return opened(hkdf(info, 32), file.subarray(HEADER_BYTES), Buffer.concat([header, Buffer.from(key)]))
}

it('have the id of the key that the seed gives', () => {
  expect(hkdf('key id', 16).toString('hex')).toBe(vectors.keyId)
})

it.each(vectors.erasureKeys)('have the erasure key of $owner, under the seed', ({ owner, key, fileB64u, keyHex }) => {
  expect(key).toBe(vectors.prefix + sha256(owner))
  const form = { magic: 'svckey', version: 1, info: `erasure/${key}/` }
  expect(openedFile(Buffer.from(fileB64u, 'base64url'), key, form).toString('hex')).toBe(keyHex)
})

it.each(vectors.records)('open, and say inside what is outside: $key', ({ key, fileB64u, hash, record, parts }) => {
  const file = Buffer.from(fileB64u, 'base64url')
  expect(sha256(file)).toBe(hash)
  const folder = `${vectors.prefix}${sha256(vectors.name)}/`
  expect(key).toBe(folder + String(record.sequence).padStart(12, '0'))
  const plain = openedFile(file, key, { magic: 'svcrec', version: record.version, info: folder })
  expect(JSON.parse(gunzipSync(plain).toString())).toEqual(record)
  expect(record.keyId).toBe(vectors.keyId)
  expect(record.parts[0]?.owner).toBe(sha256(vectors.name))
  const read = record.parts.map(({ owner, sealedB64u }) => {
    const aes = vectors.erasureKeys.find((one) => sha256(one.owner) === owner)?.keyHex ?? ''
    const context = Buffer.from(JSON.stringify(['svc/record-part/v1', key, owner]))
    const part = opened(Buffer.from(aes, 'hex'), Buffer.from(sealedB64u, 'base64url'), context)
    return JSON.parse(gunzipSync(part).toString()) as unknown
  })
  expect(read).toEqual(parts)
})

it('name the hash of the file before', () => {
  const [first, second] = vectors.records
  expect([first?.record.previous, second?.record.previous]).toEqual([null, first?.hash])
})
