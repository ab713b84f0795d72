import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import { fromHex, hashHex, hashSchema, hashTextHex, toHex } from './hash.ts'
import {
  didOf,
  didSchema,
  isDid,
  publicKeySchema,
  scopeSchema,
  signatureSchema,
  userIdOf,
  userIdOfKey,
  userIdSchema,
} from './identity.ts'

/** Deterministic bytes anyone can reproduce with `(i * 7) & 255`. */
const publicKey = Uint8Array.from({ length: 1952 }, (_, i) => (i * 7) & 255)
const USER_ID = 'b0719b9fce8d593f945882f61e8665f438a992459b000cc96056b255855b281c6b1e97eeda6d0fd71447c6d0a4296ed5'
const DID = 'did:svc:sHGbn86NWT-UWIL2HoZl9DipkkWbAAzJ'

describe('hash', () => {
  it('is SHA3-384 of FIPS 202, in lowercase hex', () => {
    expect(hashHex(new Uint8Array())).toBe(
      '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004',
    )
    expect(hashTextHex('abc')).toBe(
      'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25',
    )
  })

  it('hashes text as UTF-8', () => {
    expect(hashTextHex('é')).toBe(hashHex(new Uint8Array([0xc3, 0xa9])))
  })

  it('converts between hex and bytes', () => {
    expect(toHex(new Uint8Array([0, 15, 255]))).toBe('000fff')
    expect(fromHex('000fff')).toEqual(new Uint8Array([0, 15, 255]))
  })

  it.each(['A7'.repeat(48), 'a7'.repeat(47), 'a7'.repeat(49), `${'a7'.repeat(48)}\n`, 'g7'.repeat(48), ''])(
    'has a schema that refuses %j',
    (text) => {
      for (const schema of [hashSchema, userIdSchema, scopeSchema]) expect(schema.safeParse(text).success).toBe(false)
    },
  )
})

describe('derivation', () => {
  it('derives the userId and DID of a fixed key', () => {
    expect(userIdOf(publicKey)).toBe(USER_ID)
    expect(userIdOfKey(encodeBase64url(publicKey))).toBe(USER_ID)
    expect(didOf(USER_ID)).toBe(DID)
  })

  it('uses exactly the first 24 bytes of the scope', () => {
    expect(didOf(`${USER_ID.slice(0, 48)}${'0'.repeat(48)}`)).toBe(DID)
    expect(didOf(`${USER_ID.slice(0, 47)}0${USER_ID.slice(48)}`)).not.toBe(DID)
  })

  it('derives a different userId when one bit of the key changes', () => {
    expect(userIdOf(publicKey.with(1951, 0))).not.toBe(USER_ID)
  })
})

describe('didSchema', () => {
  it('accepts a DID', () => {
    expect(didSchema.safeParse(DID).success).toBe(true)
    expect(isDid(DID)).toBe(true)
  })

  it.each([
    DID.slice(0, -1),
    `${DID}A`,
    `${DID}\n`,
    ` ${DID}`,
    DID.toUpperCase(),
    DID.replace('svc', 'web'),
    DID.replace('-', '+'),
    DID.replace('-', '='),
    `${DID}#root-0`,
    `${DID.slice(0, -2)}%4`,
    'did:svc:',
  ])('refuses %j', (text) => {
    expect(didSchema.safeParse(text).success).toBe(false)
    expect(isDid(text)).toBe(false)
  })
})

describe('publicKeySchema and signatureSchema', () => {
  it('accept exactly 1,952 and 3,309 bytes', () => {
    expect(publicKeySchema.safeParse(encodeBase64url(publicKey)).success).toBe(true)
    expect(signatureSchema.safeParse(encodeBase64url(new Uint8Array(3309))).success).toBe(true)
    for (const length of [0, 1312, 1951, 1953, 2592, 3309]) {
      expect(publicKeySchema.safeParse(encodeBase64url(new Uint8Array(length))).success).toBe(false)
    }
    for (const length of [0, 1952, 2420, 3308, 3310, 4627]) {
      expect(signatureSchema.safeParse(encodeBase64url(new Uint8Array(length))).success).toBe(false)
    }
  })

  it('have the lengths stated in their descriptions', () => {
    expect(encodeBase64url(publicKey)).toHaveLength(2603)
    expect(encodeBase64url(new Uint8Array(3309))).toHaveLength(4412)
  })
})
