import { describe, expect, it } from 'vitest'
import { jcsBytes } from '../base/jcs.ts'
import { genesisOf, signerOf } from '../chain/chain.fixture.ts'
import { signedBytes } from '../chain/chain.ts'
import { consentSignedBytes } from '../consent/consent.ts'
import { classify, formFault } from './classify.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const alice = await signerOf(1)
const block = await genesisOf(alice)
const unsigned = signedBytes(block)
const message = {
  type: 'svc/message/v1',
  realm: 'https://core.example',
  did: alice.did,
  keyId: alice.scope,
  audience: 'login.example.com',
  text: 'a challenge',
  hash: null,
  nonce: 'nonce-0123456789',
  inception: null,
  issuedAt: 1_790_000_000_000,
} as const
/** Of an assertion that would be valid for an hour. */
const assertion = {
  version: 1,
  purpose: 'auth/session',
  userId: alice.scope,
  chainId: alice.ownerPublicKey,
  publicChainKey: alice.ownerPublicKey,
  issuedAt: 1_790_000_000_000,
  expiresAt: 1_790_003_600_000,
  nonce: 'nonce-0123456789',
  aud: 'identity',
}
const consent = { content_hash: 'a'.repeat(64), creator_did: alice.did, preferences: { search: 'allow' } } as const

describe('bytes are read as', () => {
  it('a statement of their type', async () => {
    expect(await classify(jcsBytes(message))).toBe('svc/message/v1')
  })

  it.each(['auth/session', 'auth/device-session'])('an assertion for %s, canonical or not', async (purpose) => {
    expect(await classify(jcsBytes({ ...assertion, purpose }))).toBe('assertion')
    expect(await classify(utf8(JSON.stringify({ ...assertion, purpose }, null, 1)))).toBe('assertion')
  })

  it('a block without its signature', async () => {
    expect(await classify(unsigned)).toBe('block')
  })

  it('a consent', async () => {
    expect(await classify(consentSignedBytes(consent))).toBe('consent')
  })
})

describe('bytes are nothing to sign if they are', () => {
  it.each<[string, object]>([
    ['a message that is an assertion too', { ...message, ...assertion, version: 1 }],
    ['an assertion with a type', { ...assertion, type: 'svc/message/v1' }],
    ['an assertion whose type is null', { ...assertion, type: null }],
    ['a block with a type', { ...block, signature: undefined, type: 'svc/message/v1' }],
    ['a block that is an assertion too', { ...block, purpose: 'auth/chain-session' }],
    ['a block with its signature', block],
    ['a message with an unknown member', { ...message, more: 1 }],
    ['a message without a member', { ...message, nonce: undefined }],
    ['a message of another form', { ...message, audience: 'with spaces' }],
    ['an act of the operator', { ...message, type: 'svc/operator-epoch/v1' }],
    ['of a type that every object has', { ...message, type: 'toString' }],
    ['an assertion for something else', { ...assertion, purpose: 'auth/chain-session' }],
    ['an empty object', {}],
  ])('%s', async (_, value) => {
    expect(await classify(jcsBytes(JSON.parse(JSON.stringify(value))))).toBeNull()
  })

  it.each<[string, Uint8Array]>([
    ['a message that is not canonical', utf8(JSON.stringify(message))],
    ['a message with a member twice', utf8(new TextDecoder().decode(jcsBytes(message)).replace('{', '{"text":"x",'))],
    ['a message after a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, ...jcsBytes(message)])],
    ['a message with half a character', utf8(JSON.stringify({ ...message, text: '\ud800' }))],
    ['a message and a space', new Uint8Array([...jcsBytes(message), 0x20])],
    ['a block that is not canonical', new Uint8Array([0x20, ...unsigned])],
    ['a consent with an unknown member', utf8(Buffer.from(JSON.stringify({ ...consent, z: 1 })).toString('base64url'))],
    ['a message in base64url', utf8(Buffer.from(jcsBytes(message)).toString('base64url'))],
    ['a list', utf8('[]')],
    ['a number', utf8('1')],
    ['text', utf8('text')],
    ['empty', new Uint8Array()],
    ['not UTF-8', new Uint8Array([0xff])],
  ])('%s', async (_, bytes) => {
    expect(await classify(bytes)).toBeNull()
  })
})

describe('the fault of bytes', () => {
  it.each<[string, Uint8Array, object]>([
    ['a message', jcsBytes({ ...message, audience: 'with spaces' }), { kind: 'svc/message/v1', member: 'audience' }],
    [
      'a block',
      jcsBytes({ ...JSON.parse(new TextDecoder().decode(unsigned)), index: '01' }),
      { kind: 'block', member: 'index' },
    ],
    ['a consent', consentSignedBytes({ ...consent, creator_did: 'x' }), { kind: 'consent' }],
    [
      'an object within',
      jcsBytes({ ...message, inception: { sequence: -1, hash: 'a7'.repeat(48) } }),
      { kind: 'svc/message/v1', member: 'inception.sequence' },
    ],
  ])('names the member of %s', async (_, bytes, fault) => {
    expect(await classify(bytes)).toBeNull()
    expect(await formFault(bytes)).toMatchObject(fault)
  })

  it.each<[string, Uint8Array]>([
    ['of the form that they claim', jcsBytes(message)],
    ['an assertion', jcsBytes(assertion)],
    ['of nobody', utf8('text')],
    ['a message in base64url', utf8(Buffer.from(jcsBytes(message)).toString('base64url'))],
    ['of a type in a list', jcsBytes({ ...message, type: ['svc/message/v1'] })],
    ['a message with half a character', utf8(JSON.stringify({ ...message, text: '\ud800' }))],
  ])('is none if they are %s', async (_, bytes) => {
    expect(await formFault(bytes)).toBeNull()
  })
})
