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
const LABEL = Buffer.from('svc/dek-wrap/v2')
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

it('the worked note is opened from its seed by another implementation', () => {
  const key = openssl.createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'AKP',
      alg: 'ML-KEM-768',
      pub: vectors['kemPublicKeyB64u'],
      priv: Buffer.from(vectors['kemSeedHex'] ?? '', 'hex').toString('base64url'),
    } as object,
  })
  const sharedSecret = openssl.decapsulate(key, Buffer.from(vectors['sealedKemCiphertext'] ?? '', 'base64url'))
  expect(Buffer.from(sharedSecret).toString('hex')).toBe(shown['sharedSecretHex'])

  const kek = Buffer.from(openssl.hkdfSync('sha3-384', sharedSecret, LABEL, LABEL, 32))
  expect(kek.toString('hex')).toBe(shown['wrappingKeyHex'])
  const unwrap = openssl.createDecipheriv('id-aes256-wrap-pad' as 'aes-256-cbc', kek, Buffer.from('a65959a6', 'hex'))
  const dataKey = Buffer.concat([unwrap.update(bytesOf('wrappedB64u')), unwrap.final()])
  expect(dataKey.toString('hex')).toBe(shown['dataKeyHex'])

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
