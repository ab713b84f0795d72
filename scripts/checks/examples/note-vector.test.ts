import * as openssl from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

const PAGES = join(ROOT, 'workers/docs/pages/developer')

function example(page: string, name: string): Record<string, unknown> {
  const text = readFileSync(join(PAGES, `${page}.md`), 'utf8')
  const [, json = '{}'] = new RegExp(`^\`\`\`json example=${name}\\n(.+?)^\`\`\`$`, 'ms').exec(text) ?? []
  return JSON.parse(json) as Record<string, unknown>
}

const vectors = example('vectors', 'vectors') as Record<string, string>
const shown = example('notes', 'note-vector') as Record<string, string>
const LABEL = 'svc/dek-wrap/v2'
const bytesOf = (name: string) => Buffer.from(shown[name] ?? '', name.endsWith('Hex') ? 'hex' : 'base64url')

/** RFC 8785 of objects of strings and integers. */
function jcs(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`
}

/** The rule of the page, written down anew. */
function padmé(length: number): number {
  if (length <= 256) return 256
  const e = Math.floor(Math.log2(length))
  const s = Math.floor(Math.log2(e)) + 1
  const mask = 2 ** (e - s) - 1
  return (length + mask) & ~mask
}

// RFC 9935 and RFC 8410: PKCS #8 and SPKI around the raw keys.
const ML_KEM_PKCS8 = Buffer.from('3054020100300b060960864801650304040204428040', 'hex')
const X25519_PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const X_WING_LABEL = Buffer.from('5c2e2f2f5e5c', 'hex')

const privateKeyOf = (prefix: Buffer, raw: Buffer) =>
  openssl.createPrivateKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'pkcs8' })
const rawOf = (key: openssl.KeyObject, length: number) =>
  openssl.createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-length)
const vectorBytes = (name: string) => Buffer.from(vectors[name] ?? '', name.endsWith('Hex') ? 'hex' : 'base64url')
const sha3 = (...parts: Uint8Array[]) => openssl.createHash('sha3-384').update(Buffer.concat(parts)).digest()

/** The keys of the vectors, and the secret of its encapsulation: X-Wing from its description. */
function decapsulated() {
  const expanded = openssl.createHash('shake256', { outputLength: 96 }).update(vectorBytes('kemSeedHex')).digest()
  const mlKem = privateKeyOf(ML_KEM_PKCS8, expanded.subarray(0, 64))
  const privateKey = privateKeyOf(X25519_PKCS8, expanded.subarray(64))
  const [kem, x25519] = [rawOf(mlKem, 1184), rawOf(privateKey, 32)]
  const ephemeral = vectorBytes('sealedEphemeral')
  const publicKey = openssl.createPublicKey({
    key: Buffer.concat([X25519_SPKI, ephemeral]),
    format: 'der',
    type: 'spki',
  })
  const secrets = [
    openssl.decapsulate(mlKem, vectorBytes('sealedKemCiphertext')),
    openssl.diffieHellman({ privateKey, publicKey }),
  ]
  const hash = openssl.createHash('sha3-256')
  for (const part of [...secrets, ephemeral, x25519, X_WING_LABEL]) hash.update(part)
  return { kem, x25519, sharedSecret: hash.digest() }
}

it('the worked note is opened from its seed by another implementation', () => {
  const { kem, x25519, sharedSecret } = decapsulated()
  expect(kem.toString('base64url')).toBe(vectors['kemPublicKeyB64u'])
  expect(x25519.toString('base64url')).toBe(vectors['x25519B64u'])
  expect(sharedSecret.toString('hex')).toBe(shown['sharedSecretHex'])

  const { noteId } = shown['header'] as unknown as { noteId: string }
  const { realm, did } = shown
  const [kemPublicKeyB64u, x25519B64u] = [kem, x25519].map((key) => key.toString('base64url'))
  const context = Buffer.from(jcs({ type: LABEL, realm, did, noteId, kemPublicKeyB64u, x25519B64u }))
  const ciphertext = Buffer.concat([vectorBytes('sealedKemCiphertext'), vectorBytes('sealedEphemeral')])
  const info = Buffer.concat([sha3(ciphertext), sha3(context)])
  const kek = Buffer.from(openssl.hkdfSync('sha3-384', sharedSecret, LABEL, info, 32))
  expect(kek.toString('hex')).toBe(shown['wrappingKeyHex'])
  const unwrap = openssl.createDecipheriv('id-aes256-wrap-pad' as 'aes-256-cbc', kek, Buffer.from('a65959a6', 'hex'))
  const dataKey = Buffer.concat([unwrap.update(bytesOf('wrappedB64u')), unwrap.final()])
  expect(dataKey.toString('hex')).toBe(shown['dataKeyHex'])
  expect(sha3(Buffer.from('svc/note-key/v1'), dataKey).toString('hex')).toBe(shown['keyHash'])

  const aad = openssl.createHash('sha3-384').update(jcs(shown['header'])).digest()
  expect(aad.toString('base64url')).toBe(shown['aadB64u'])
  const sealed = bytesOf('ciphertextB64u')
  expect(openssl.createHash('sha3-384').update(sealed).digest('hex')).toBe(shown['cipherHash'])
  const opener = openssl.createDecipheriv('aes-256-gcm', dataKey, bytesOf('nonceB64u'))
  opener.setAAD(aad).setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()])

  const content = Buffer.from(JSON.stringify(shown['content']))
  expect(padded.length).toBe(padmé(content.length + 1))
  expect(padded.subarray(0, content.length)).toEqual(content)
  expect(padded[content.length]).toBe(0x80)
  expect(padded.subarray(content.length + 1).every((byte) => byte === 0)).toBe(true)
})

it('the padded lengths of the page are those of its rule', () => {
  const text = readFileSync(join(PAGES, 'notes.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([\d,]+) bytes \| ([\d,]+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(3)
  const number = (shownNumber = '') => Number(shownNumber.replaceAll(',', ''))
  for (const [, length, padded] of rows) expect(padmé(number(length) + 1)).toBe(number(padded))
})
