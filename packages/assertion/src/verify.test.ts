import { encodeBase64url } from '@svc/protocol/base/base64url'
import { didOf } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import {
  alice,
  credentialOver,
  malformed,
  mallory,
  NOW,
  payload,
  payloadWith,
  refused,
  SKEW,
  utf8,
  verdict,
  verdictOn,
} from './assertion.fixture.ts'
import { signPayload } from './make.ts'

const good = {
  ok: true,
  value: {
    userId: alice.userId,
    keyDid: didOf(alice.userId),
    publicKeyB64u: alice.publicKeyB64u,
    signer: alice.userId,
    device: null,
    requiredCapability: 'root',
    nonce: 'nonce-0001',
    issuedAt: NOW,
    keepUntil: NOW + 60_000 + SKEW,
  },
}

describe('verifyAssertion', () => {
  it('accepts a valid assertion and returns its signer and how long to keep its nonce', async () => {
    expect(await verdict({})).toEqual(good)
  })

  it.each(['https://app.example', 'null', ''])(
    'accepts a root key from every page, here one with the Origin %j',
    async (origin) => {
      expect(await verdict({}, { request: { origin } })).toEqual(good)
    },
  )

  it('does not read the body unless the assertion binds it', async () => {
    const bodyHash = () => Promise.reject(new Error('read'))
    expect(await verdict({}, { request: { method: 'POST', bodyHash } })).toEqual(good)
  })

  it.each(['svc/message/v1', '', null])(
    'refuses one with the type %j: what has a type was signed as a statement',
    async (type) => {
      expect(await verdict({ type })).toEqual(malformed('credential'))
    },
  )

  it('refuses a request without an assertion', async () => {
    expect(await verdictOn(undefined)).toEqual(refused({ reason: 'missing' }))
  })

  it.each(['keys', 'Chain', 'chain ', '*', '', 'chain,notes', 'notes', undefined, null, ['chain'], { chain: 1 }])(
    'refuses aud %j: matching is exact',
    async (aud) => {
      expect(await verdict({ aud })).toEqual(refused({ reason: 'audience' }))
    },
  )

  it('accepts any of several audiences, and nothing if there are none', async () => {
    const policy = { expectedAudiences: ['identity', 'console'] }
    expect((await verdict({ aud: 'identity' }, { policy })).ok).toBe(true)
    expect((await verdict({ aud: 'console' }, { policy })).ok).toBe(true)
    expect(await verdict({ aud: 'chain' }, { policy })).toEqual(refused({ reason: 'audience' }))
    expect(await verdict({}, { policy: { expectedAudiences: [] } })).toEqual(refused({ reason: 'audience' }))
  })

  it('refuses a device assertion with a reason of its own', async () => {
    const device = { version: 2, purpose: 'auth/device-session', deviceId: 'd1', devicePublicKey: 'x', origin: 'y' }
    expect(await verdict(device)).toEqual(refused({ reason: 'device_keys_disabled' }))
  })

  it.each<[string, object]>([
    ['version', { version: 0 }],
    ['version', { version: 3 }],
    ['version', { version: '1' }],
    ['version', { version: '2' }],
    ['version', { version: undefined }],
    ['purpose', { purpose: 'auth/device-session' }],
    ['purpose', { purpose: 'Auth/Session' }],
    ['purpose', { purpose: undefined }],
    ['userId', { userId: undefined }],
    ['userId', { userId: 5 }],
    ['chainId', { chainId: undefined }],
    ['publicChainKey', { publicChainKey: undefined }],
    ['issuedAt', { issuedAt: undefined }],
    ['issuedAt', { issuedAt: String(NOW) }],
    ['issuedAt', { issuedAt: NOW + 0.5 }],
    ['issuedAt', { issuedAt: 2 ** 53 }],
    ['expiresAt', { expiresAt: undefined }],
    ['expiresAt', { expiresAt: null }],
    ['htm', { htm: null }],
    ['htu', { htu: ['https://core.example/api/chain/head'] }],
    ['bodyHash', { bodyHash: 5 }],
  ])('refuses a wrong %s: %j', async (member, members) => {
    expect(await verdict(members)).toEqual(malformed(member))
  })

  it('refuses a chainId that is not the signing key', async () => {
    expect(await verdict({ chainId: mallory.publicKeyB64u })).toEqual(malformed('chainId'))
    expect(await verdict({ chainId: alice.userId })).toEqual(malformed('chainId'))
  })

  it.each([
    ['another length', encodeBase64url(new Uint8Array(1312))],
    ['padding', `${alice.publicKeyB64u}=`],
    ['another alphabet', '+'.repeat(2603)],
    ['nothing', ''],
  ])('refuses a key of %s', async (_, key) => {
    expect(await verdict({ chainId: key, publicChainKey: key })).toEqual(malformed('publicChainKey'))
  })

  it('refuses a userId that does not match the key', async () => {
    expect(await verdict({ userId: mallory.userId })).toEqual(malformed('userId'))
    expect(await verdict({ userId: alice.userId.toUpperCase() })).toEqual(malformed('userId'))
    expect(await verdict({ userId: didOf(alice.userId) })).toEqual(malformed('userId'))
  })

  it('refuses a signature by another key', async () => {
    expect(await verdictOn(await signPayload(mallory, payload))).toEqual(refused({ reason: 'signature' }))
  })

  it('refuses a valid signature over another payload', async () => {
    const [, signature] = (await signPayload(alice, payload)).split('.')
    const other = encodeBase64url(utf8(JSON.stringify(payloadWith({ nonce: 'nonce-0002' }))))
    expect(await verdictOn(`ServiceAssertion ${other}.${signature}`)).toEqual(refused({ reason: 'signature' }))
  })

  it('refuses a signature over the base64url text instead of the bytes', async () => {
    const text = encodeBase64url(utf8(JSON.stringify(payload)))
    const signature = encodeBase64url(await alice.sign(utf8(text)))
    expect(await verdictOn(`ServiceAssertion ${text}.${signature}`)).toEqual(refused({ reason: 'signature' }))
  })

  it.each([3308, 3310, 1, 2420])('refuses a signature of %i bytes', async (length) => {
    const text = encodeBase64url(utf8(JSON.stringify(payload)))
    const signature = encodeBase64url(new Uint8Array(length))
    expect(await verdictOn(`ServiceAssertion ${text}.${signature}`)).toEqual(refused({ reason: 'signature' }))
  })
})

describe('members without effect', () => {
  it.each([
    { deviceId: 'laptop' },
    { scopes: ['admin', 'chain:append'] },
    { deviceId: 5, scopes: 'all' },
    { did: 'did:svc:x', scope: 'f'.repeat(96), epoch: 7, capabilities: ['*'] },
    { unknown: { nested: [1, 2, 3] }, another: null },
  ])('%j is ignored and does not change the result', async (members) => {
    expect(await verdict(members)).toEqual(good)
  })
})

describe('the bytes as sent', () => {
  const entries = Object.entries(payload)

  it.each([
    ['spaces and newlines', JSON.stringify(payload, null, 3)],
    ['another order of members', JSON.stringify(Object.fromEntries(entries.toReversed()))],
    ['a member twice, the last one counting', `{"nonce":"first","x":1,"x":2,${JSON.stringify(payload).slice(1)}`],
    ['escapes', JSON.stringify(payload).replace('nonce-0001', String.raw`\u006eonce-0001`)],
    ['white space around', `\n\t ${JSON.stringify(payload)} \r\n`],
    ['numbers written otherwise', JSON.stringify(payload).replace('"version":1', '"version":1.0e0')],
  ])('verify with %s, but not when re-serialized', async (_, text) => {
    const bytes = utf8(text)
    expect(await verdictOn(await credentialOver(bytes))).toEqual(good)
    const again = utf8(JSON.stringify({ ...payload, ...(JSON.parse(text) as object) }))
    expect(again).not.toEqual(bytes)
    const signature = encodeBase64url(await alice.sign(bytes))
    expect(await verdictOn(`ServiceAssertion ${encodeBase64url(again)}.${signature}`)).toEqual(
      refused({ reason: 'signature' }),
    )
  })
})
