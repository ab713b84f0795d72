import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import {
  consentActHash,
  consentMessageSchema,
  consentSignedBytes,
  preferencesSchema,
  verifyConsent,
} from './consent.ts'
import { compareHashes, isContentHash } from './identifiers.ts'

const did = `did:svc:${'PDw8'.repeat(8)}`
const content_hash = 'an identifier of 27 letters'
const message = { content_hash, preferences: { search: 'allow', ai_training: 'disallow' }, creator_did: did } as const
const seed = new Uint8Array(32).fill(5)
const key = encodeBase64url(await mlDsa65.publicKeyOf(seed))
const sign = async (text: string) => encodeBase64url(await mlDsa65.sign(seed, new TextEncoder().encode(text)))

describe('an identifier', () => {
  it.each(['x'.repeat(16), 'x'.repeat(256), '😀'.repeat(256), ' \n\t'.repeat(6), 'é'.repeat(20)])(
    'may be %j',
    (text) => {
      expect(isContentHash(text)).toBe(true)
    },
  )
  it.each([
    '',
    'x'.repeat(15),
    'x'.repeat(257),
    '😀'.repeat(15),
    `${'x'.repeat(20)}\0`,
    `${'x'.repeat(20)}\ud800`,
    5,
    null,
  ])('must not be %j', (value) => {
    expect(isContentHash(value)).toBe(false)
  })
})

describe('preferences', () => {
  it.each([
    { ai_training: 'allow' },
    { search: 'disallow', generative_ai_training: 'allow', automated_processing: 'disallow' },
    { conditional: true },
    { conditional: 'disallow' },
  ])('may be %j', (members) => {
    expect(preferencesSchema.safeParse(members).data).toEqual(members)
  })
  it.each([
    {},
    { ai_training: 'maybe' },
    { ai_training: true },
    { search: null },
    { train_ai: 'allow' },
    { conditional: 'x' },
    [],
  ])('must not be %j', (members) => {
    expect(preferencesSchema.safeParse(members).success).toBe(false)
  })
})

describe('the signed bytes', () => {
  const text = `{"content_hash":"${content_hash}","creator_did":"${did}","preferences":{"ai_training":"disallow","search":"allow"}}`

  it('are the base64url text of the canonical JSON', () => {
    const expected = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    expect(new TextDecoder().decode(consentSignedBytes(message))).toBe(expected)
  })

  it('verify in no other form', async () => {
    const b64u = new TextDecoder().decode(consentSignedBytes(message))
    expect(await verifyConsent(message, key, await sign(b64u))).toBe(true)
    for (const other of [text, `${b64u}=`, btoa(text), JSON.stringify(message)]) {
      if (other !== b64u) expect(await verifyConsent(message, key, await sign(other))).toBe(false)
    }
    const good = await sign(b64u)
    expect(await verifyConsent({ ...message, creator_did: `did:svc:${'A'.repeat(32)}` }, key, good)).toBe(false)
    expect(await verifyConsent({ content_hash, action: 'delete', creator_did: did }, key, good)).toBe(false)
  })

  it('are of either a declaration or a deletion', () => {
    expect(consentMessageSchema.safeParse({ ...message, action: 'delete' }).success).toBe(false)
    expect(consentMessageSchema.safeParse({ content_hash, creator_did: did }).success).toBe(false)
    expect(consentMessageSchema.safeParse({ content_hash, action: 'create', creator_did: did }).success).toBe(false)
  })
})

describe('the hash of an act', () => {
  const act = { hash: content_hash, preferences: message.preferences, publicKeyB64u: key, signatureB64u: 'A' }
  it('depends on every member, but not on their order', () => {
    const { search, ai_training } = message.preferences
    expect(consentActHash({ ...act, preferences: { ai_training, search } })).toBe(consentActHash(act))
    const others = [
      { hash: 'another identifier' },
      { preferences: null },
      { preferences: { search } },
      { publicKeyB64u: 'B' },
      { signatureB64u: 'B' },
    ]
    const names = [act, ...others.map((changed) => ({ ...act, ...changed }))].map(consentActHash)
    expect(new Set(names).size).toBe(6)
  })
})

describe('compareHashes', () => {
  it('orders as the bytes of UTF-8 do', () => {
    const bytes = (text: string) =>
      [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join('')
    const texts = [
      '',
      'a',
      'ab',
      'b',
      'é',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😀a',
      '𝒳',
      'a😀',
      'a\uffff',
    ]
    for (const a of texts) {
      for (const b of texts) {
        const expected = bytes(a) < bytes(b) ? -1 : bytes(a) > bytes(b) ? 1 : 0
        expect(Math.sign(compareHashes(a, b)), `${a} ${b}`).toBe(expected)
      }
    }
  })
})
