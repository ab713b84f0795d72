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

it('have the id of the key that the seed gives', () => {
  expect(hkdf('key id', 16).toString('hex')).toBe(vectors.keyId)
})

it.each(vectors.records)('open, and say inside what is outside: $key', ({ key, fileB64u, hash, record }) => {
  const file = Buffer.from(fileB64u, 'base64url')
  expect(sha256(file)).toBe(hash)
  const folder = `${vectors.prefix}${sha256(vectors.name)}/`
  expect(key).toBe(folder + String(record.sequence).padStart(12, '0'))
  const header = file.subarray(0, HEADER_BYTES)
  const version = Buffer.from([record.version >> 8, record.version & 255])
  expect(header).toEqual(Buffer.concat([Buffer.from('svcrec'), version, Buffer.from(record.keyId, 'hex')]))
  expect(record.keyId).toBe(vectors.keyId)
  const iv = file.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES)
  const decipher = openssl.createDecipheriv('aes-256-gcm', hkdf(folder, 32), iv)
  decipher.setAAD(Buffer.concat([header, Buffer.from(key)]))
  decipher.setAuthTag(file.subarray(-TAG_BYTES))
  const plain = Buffer.concat([decipher.update(file.subarray(HEADER_BYTES + IV_BYTES, -TAG_BYTES)), decipher.final()])
  expect(JSON.parse(gunzipSync(plain).toString())).toEqual(record)
})

it('name the hash of the file before', () => {
  const [first, second] = vectors.records
  expect([first?.record.previous, second?.record.previous]).toEqual([null, first?.hash])
})
