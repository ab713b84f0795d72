import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import {
  appendRequestSchema,
  chainBlockSchema,
  chainBlockV2Schema,
  chainBlockV3Schema,
  chainBlockV4Schema,
  chainHeadSchema,
  MAX_PAYLOAD_BYTES,
} from './chain.ts'

const v3 = {
  index: '7',
  timestamp: '1790000000000',
  previousHash: '00'.repeat(48),
  dataHash: 'd1'.repeat(48),
  metadataHash: 'e2'.repeat(48),
  signature: encodeBase64url(new Uint8Array(3309)),
  signatureAlg: 'ml-dsa-65',
  ownerPublicKey: encodeBase64url(new Uint8Array(1952)),
  contentType: 'text/plain',
  version: 3,
}
const v2 = { ...v3, version: 2 }
const v4 = { ...v3, version: 4, scope: '3c'.repeat(48), epoch: 0 }
const profiles = [
  ['2', v2, chainBlockV2Schema],
  ['3', v3, chainBlockV3Schema],
  ['4', v4, chainBlockV4Schema],
] as const

const without = (block: object, member: string) =>
  Object.fromEntries(Object.entries(block).filter(([name]) => name !== member))
const accepts = (block: object) => chainBlockSchema.safeParse(block).success

describe.each(profiles)('profile %s', (_, block, own) => {
  it('is accepted unchanged by its own schema and by the union', () => {
    expect(own.parse(block)).toEqual(block)
    expect(chainBlockSchema.parse(block)).toEqual(block)
  })

  it.each(['signature', 'contentType'])('is valid without %s', (member) => {
    expect(accepts(without(block, member))).toBe(true)
    expect(accepts({ ...block, [member]: null })).toBe(false)
  })

  it.each([
    'index',
    'timestamp',
    'previousHash',
    'dataHash',
    'metadataHash',
    'signatureAlg',
    'ownerPublicKey',
    'version',
  ])('requires %s', (member) => {
    expect(accepts(without(block, member))).toBe(false)
  })

  it.each(['note', 'payloadB64u', 'alg', 'Scope'])('refuses the extra member %s', (member) => {
    expect(accepts({ ...block, [member]: 'x' })).toBe(false)
  })

  it.each([
    ['index', '01'],
    ['index', '00'],
    ['index', ''],
    ['index', '-1'],
    ['index', '+1'],
    ['index', '1.0'],
    ['index', '1e3'],
    ['index', ' 1'],
    ['index', '1\n'],
    ['index', '٣'],
    ['index', '1000000000000000'],
    ['index', 7],
    ['timestamp', '01790000000000'],
    ['timestamp', '1000000000000000'],
    ['timestamp', 1_790_000_000_000],
    ['timestamp', '2026-10-23T10:00:00Z'],
    ['previousHash', 'A0'.repeat(48)],
    ['previousHash', 'a0'.repeat(47)],
    ['dataHash', `${'a0'.repeat(48)}0`],
    ['metadataHash', 'sha3-384'],
    ['signature', encodeBase64url(new Uint8Array(3308))],
    ['signature', ''],
    ['signatureAlg', 'ML-DSA-65'],
    ['signatureAlg', 'ml-dsa-87'],
    ['ownerPublicKey', encodeBase64url(new Uint8Array(1951))],
    ['ownerPublicKey', `${encodeBase64url(new Uint8Array(1952))}=`],
    ['version', 1],
    ['version', 5],
    ['version', '3'],
  ])('refuses %s %j', (member, value) => {
    expect(accepts({ ...block, [member]: value })).toBe(false)
  })

  it('accepts indexes and times of 1 to 15 digits', () => {
    for (const text of ['0', '9', '10', '999999999999999']) {
      expect(accepts({ ...block, index: text, timestamp: text })).toBe(true)
    }
  })

  it.each(['a', 'text/plain; charset=utf-8', '!', '~', 'x'.repeat(255)])('accepts contentType %j', (contentType) => {
    expect(accepts({ ...block, contentType })).toBe(true)
  })

  it.each(['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a\0', 'é', '\u007f', 'x'.repeat(256), 5])(
    'refuses contentType %j',
    (contentType) => {
      expect(accepts({ ...block, contentType })).toBe(false)
    },
  )
})

describe('profiles 2 and 3', () => {
  it.each([v2, v3])('have neither scope nor epoch ($version)', (block) => {
    expect(accepts({ ...block, scope: v4.scope })).toBe(false)
    expect(accepts({ ...block, epoch: 0 })).toBe(false)
  })

  it('do not accept each other’s blocks', () => {
    expect(chainBlockV2Schema.safeParse(v3).success).toBe(false)
    expect(chainBlockV3Schema.safeParse(v2).success).toBe(false)
  })
})

describe('profile 4', () => {
  it.each(['scope', 'epoch'])('requires %s', (member) => {
    expect(accepts(without(v4, member))).toBe(false)
  })

  it.each([
    ['epoch', -1],
    ['epoch', 0.5],
    ['epoch', '0'],
    ['epoch', null],
    ['epoch', Number.MAX_SAFE_INTEGER + 1],
    ['scope', '3C'.repeat(48)],
    ['scope', '3c'.repeat(47)],
    ['scope', `did:svc:${'PDw8'.repeat(8)}`],
  ])('refuses %s %j', (member, value) => {
    expect(accepts({ ...v4, [member]: value })).toBe(false)
  })
})

describe('appendRequestSchema', () => {
  it.each([v2, v3, v4])('accepts a block of profile $version with and without a payload', (block) => {
    expect(appendRequestSchema.parse(block)).toEqual(block)
    expect(appendRequestSchema.parse({ ...block, payloadB64u: 'Zm9v' })).toEqual({ ...block, payloadB64u: 'Zm9v' })
  })

  it('limits the payload and accepts an empty one', () => {
    const withBytes = (length: number) => ({ ...v4, payloadB64u: encodeBase64url(new Uint8Array(length)) })
    expect(appendRequestSchema.safeParse(withBytes(0)).success).toBe(true)
    expect(appendRequestSchema.safeParse(withBytes(MAX_PAYLOAD_BYTES)).success).toBe(true)
    expect(appendRequestSchema.safeParse(withBytes(MAX_PAYLOAD_BYTES + 1)).success).toBe(false)
  })

  it('fits a block with the largest payload into a body of 256 KiB', () => {
    const largest = { ...v4, contentType: 'x'.repeat(255), index: '9'.repeat(15), epoch: Number.MAX_SAFE_INTEGER }
    const payloadB64u = encodeBase64url(new Uint8Array(MAX_PAYLOAD_BYTES))
    expect(JSON.stringify({ ...largest, payloadB64u }).length).toBeLessThanOrEqual(256 * 1024)
  })

  it('refuses a payload that is not base64url, and any other extra member', () => {
    expect(appendRequestSchema.safeParse({ ...v4, payloadB64u: 'Zm9v=' }).success).toBe(false)
    expect(appendRequestSchema.safeParse({ ...v4, payload: 'Zm9v' }).success).toBe(false)
  })
})

describe('chainHeadSchema', () => {
  it('accepts an index and a hash and nothing else', () => {
    const head = { index: '3', hash: 'a7'.repeat(48) }
    expect(chainHeadSchema.safeParse(head).success).toBe(true)
    expect(chainHeadSchema.safeParse({ ...head, index: 3 }).success).toBe(false)
    expect(chainHeadSchema.safeParse({ ...head, did: 'x' }).success).toBe(false)
  })
})
