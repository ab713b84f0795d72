import { encodeBase64url } from '@svc/protocol/base/base64url'
import { deviceIdOf } from '@svc/protocol/base/device'
import { hashHex } from '@svc/protocol/base/hash'
import { didOf } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import { alice, HOUR, malformed, mallory, NOW, refused, SKEW, utf8 } from './assertion.fixture.ts'
import { devicePayload, deviceVerdict, deviceVerdictOn, laptop } from './device.fixture.ts'
import { signPayload } from './make.ts'

const { userId, scope, did, deviceId } = laptop
const strangerDid = didOf(mallory.userId)

const good = {
  ok: true,
  value: {
    userId,
    keyDid: did,
    publicKeyB64u: laptop.devicePublicKeyB64u,
    signer: `dev:${deviceId}`,
    device: {
      deviceId,
      scope,
      origin: 'https://app.example',
      rootEpoch: 0,
      capabilities: ['chain:append', 'chain:read'],
    },
    requiredCapability: 'chain:read',
    nonce: 'nonce-0001',
    issuedAt: NOW,
    keepUntil: NOW + 60_000 + SKEW,
  },
}

describe('an assertion by a device', () => {
  it('is accepted and returns the device’s owner and claims', async () => {
    expect(await deviceVerdict({})).toEqual(good)
  })

  it('is refused by name if devices are not accepted, regardless of its contents', async () => {
    const policy = { acceptsDevices: false }
    const disabled = refused({ reason: 'device_keys_disabled' })
    expect(await deviceVerdict({}, { policy })).toEqual(disabled)
    expect(await deviceVerdict({ purpose: 'x', scope: 5, expiresAt: 0 }, { policy })).toEqual(disabled)
  })

  it.each<[string, object]>([
    ['purpose', { purpose: 'auth/session' }],
    ['purpose', { purpose: undefined }],
    ['userId', { userId: undefined }],
    ['userId', { userId: userId.toUpperCase() }],
    ['userId', { userId: userId.slice(1) }],
    ['scope', { scope: undefined }],
    ['scope', { scope: did }],
    ['did', { did: undefined }],
    ['did', { did: `${did}A` }],
    ['did', { did: did.slice('did:svc:'.length) }],
    ['deviceId', { deviceId: undefined }],
    ['deviceId', { deviceId: 'laptop' }],
    ['devicePublicKey', { devicePublicKey: undefined }],
    ['origin', { origin: undefined }],
    ['origin', { origin: '*' }],
    ['origin', { origin: 'null' }],
    ['origin', { origin: 'https://app.example/' }],
    ['origin', { origin: 'https://APP.example' }],
    ['origin', { origin: 'app:' }],
    ['rootEpoch', { rootEpoch: undefined }],
    ['rootEpoch', { rootEpoch: -1 }],
    ['rootEpoch', { rootEpoch: '0' }],
    ['rootEpoch', { rootEpoch: 0.5 }],
    ['capabilities', { capabilities: undefined }],
    ['capabilities', { capabilities: 'chain:read' }],
    ['capabilities.1', { capabilities: ['chain:read', 'chain:delete'] }],
    ['capabilities.0', { capabilities: ['*'] }],
    ['capabilities.0', { capabilities: ['root'] }],
    ['capabilities', { capabilities: ['chain:read', 'chain:read'] }],
    ['issuedAt', { issuedAt: undefined }],
    ['expiresAt', { expiresAt: '1790000060000' }],
    ['htm', { htm: null }],
  ])('is refused for a wrong %s: %j', async (member, members) => {
    expect(await deviceVerdict(members)).toEqual(malformed(member))
  })

  it.each<[string, object]>([
    ['did', { did: strangerDid }],
    ['did', { scope: mallory.userId }],
    ['deviceId', { deviceId: deviceIdOf(mallory.publicKeyB64u) }],
    ['deviceId', { devicePublicKey: mallory.publicKeyB64u }],
    ['devicePublicKey', { devicePublicKey: encodeBase64url(new Uint8Array(1312)) }],
    ['devicePublicKey', { devicePublicKey: `${laptop.devicePublicKeyB64u}=` }],
    ['devicePublicKey', { devicePublicKey: '' }],
  ])('is refused if its %s is inconsistent with the rest: %j', async (member, members) => {
    expect(await deviceVerdict(members)).toEqual(malformed(member))
  })

  it('may claim any owner, epoch and capabilities, which are checked against its record later', async () => {
    const members = { userId: mallory.userId, scope: mallory.userId, did: strangerDid, rootEpoch: 7, capabilities: [] }
    expect(await deviceVerdict(members)).toMatchObject({
      value: { userId: mallory.userId, keyDid: strangerDid, device: { scope: mallory.userId, rootEpoch: 7 } },
    })
  })

  it('has a nonce namespace separate from the root key’s', async () => {
    expect(await deviceVerdict({ userId: mallory.userId })).toMatchObject({ value: { signer: `dev:${deviceId}` } })
  })

  it('ignores unknown members, including the key of version 1', async () => {
    const members = { publicChainKey: alice.publicKeyB64u, chainId: alice.publicKeyB64u, status: 'active', epoch: 7 }
    expect(await deviceVerdict(members)).toEqual(good)
  })
})

describe('the signature of a device', () => {
  const wrong = refused({ reason: 'signature' })

  it('must be the device’s, not the root key’s', async () => {
    expect(await deviceVerdictOn(await signPayload(alice, devicePayload))).toEqual(wrong)
  })

  it('must be made by the key in the assertion', async () => {
    const { publicKeyB64u } = mallory
    const named = { devicePublicKey: publicKeyB64u, deviceId: deviceIdOf(publicKeyB64u) }
    expect(await deviceVerdict(named)).toEqual(wrong)
    expect((await deviceVerdictOn(await signPayload(mallory, { ...devicePayload, ...named }))).ok).toBe(true)
  })

  it('covers the payload', async () => {
    const [, signature] = (await signPayload(laptop, devicePayload)).split('.')
    const other = encodeBase64url(utf8(JSON.stringify({ ...devicePayload, capabilities: ['rotation:request'] })))
    expect(await deviceVerdictOn(`ServiceAssertion ${other}.${signature}`)).toEqual(wrong)
  })
})

describe('the origin of a device', () => {
  const from = (origin: string | undefined) => ({ request: { origin } })
  const elsewhere = refused({ reason: 'binding', member: 'origin' })

  it('must be that of its page', async () => {
    expect(await deviceVerdict({}, from('https://app.example'))).toEqual(good)
  })

  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://APP.example',
    'null',
    '',
  ])('must not be %j', async (origin) => {
    expect(await deviceVerdict({}, from(origin))).toEqual(elsewhere)
  })

  it('is not checked for a request without Origin', async () => {
    expect(await deviceVerdict({}, from(undefined))).toEqual(good)
  })

  it.each([undefined, 'https://app.example', 'http://localhost:3000'])(
    'is not checked for software, which may send the Origin %j',
    async (origin) => {
      expect(await deviceVerdict({ origin: 'app:notes' }, from(origin))).toMatchObject({
        ok: true,
        value: { device: { origin: 'app:notes' } },
      })
    },
  )

  it('cannot be evaded by spelling a web origin differently', async () => {
    const origin = 'app:https://app.example'
    expect(await deviceVerdict({ origin }, from('https://evil.example'))).toEqual(malformed('origin'))
  })
})

describe('rules of both versions', () => {
  it.each(['keys', 'Chain', '', undefined, ['chain']])('refuses the audience %j before anything else', async (aud) => {
    const members = { aud, nonce: '', purpose: 'x' }
    expect(await deviceVerdict(members, { policy: { acceptsDevices: false } })).toEqual(refused({ reason: 'audience' }))
  })

  it.each(['', 'a b', 'n'.repeat(257), null])('refuses the nonce %j', async (nonce) => {
    expect(await deviceVerdict({ nonce })).toEqual(refused({ reason: 'nonce_form' }))
  })

  it.each([
    ['expired', NOW - HOUR, NOW - SKEW],
    ['not_yet_valid', NOW + SKEW + 1, NOW + SKEW + 2],
    ['too_long', NOW, NOW + HOUR + 1],
  ] as const)('refuses times that are %s', async (reason, issuedAt, expiresAt) => {
    expect(await deviceVerdict({ issuedAt, expiresAt })).toEqual(refused({ reason }))
  })

  it('accepts times up to the limits of skew and lifetime', async () => {
    expect((await deviceVerdict({ issuedAt: NOW - HOUR, expiresAt: NOW - SKEW + 1 })).ok).toBe(true)
    expect((await deviceVerdict({ issuedAt: NOW + SKEW, expiresAt: NOW + SKEW + HOUR })).ok).toBe(true)
    expect(await deviceVerdict({ expiresAt: NOW })).toEqual(malformed('expiresAt'))
  })

  it('binds method, URL and body', async () => {
    const bodyHash = hashHex(utf8('{}'))
    const bound = { htm: 'POST', htu: 'https://core.example/x', bodyHash }
    const request = { method: 'POST', target: '/x', bodyHash: () => Promise.resolve(bodyHash) }
    const under = (members: object) => deviceVerdict(bound, { request: { ...request, ...members } })
    const wrong = (member: 'htm' | 'htu' | 'bodyHash') => refused({ reason: 'binding', member })
    expect((await under({})).ok).toBe(true)
    expect(await under({ method: 'PUT' })).toEqual(wrong('htm'))
    expect(await under({ target: '/y' })).toEqual(wrong('htu'))
    expect(await under({ bodyHash: () => Promise.resolve(hashHex(utf8('[]'))) })).toEqual(wrong('bodyHash'))
  })

  it('checks clock, method and origin before the signature', async () => {
    const forged = await signPayload(mallory, { ...devicePayload, htm: 'PUT' })
    expect(await deviceVerdictOn(forged, { now: NOW + HOUR })).toEqual(refused({ reason: 'expired' }))
    expect(await deviceVerdictOn(forged)).toEqual(refused({ reason: 'binding', member: 'htm' }))
    const abroad = await signPayload(mallory, devicePayload)
    expect(await deviceVerdictOn(abroad, { request: { origin: 'https://evil.example' } })).toEqual(
      refused({ reason: 'binding', member: 'origin' }),
    )
  })
})
