import { decodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { NOW, refused, utf8 } from './assertion.fixture.ts'
import { deviceVerdictOn, laptop } from './device.fixture.ts'
import { type AssertionRequest, makeDeviceAssertion } from './make.ts'

const body = utf8('{"a":1}')
const request: AssertionRequest = {
  audience: 'chain',
  method: 'POST',
  url: 'https://core.example/api/chain/append',
  body,
  now: NOW,
}
const received = {
  method: 'POST',
  target: '/api/chain/append',
  origin: 'https://app.example',
  bodyHash: () => Promise.resolve(hashHex(body)),
}

describe('makeDeviceAssertion', () => {
  it('makes an assertion that verifies for this request only', async () => {
    const credential = await makeDeviceAssertion(laptop, request)
    const under = (members: object) => deviceVerdictOn(credential, { request: { ...received, ...members } })
    expect(await under({})).toMatchObject({ ok: true, value: { signer: `dev:${laptop.deviceId}` } })
    expect(await under({ method: 'GET' })).toEqual(refused({ reason: 'binding', member: 'htm' }))
    expect(await under({ target: '/api/chain/head' })).toEqual(refused({ reason: 'binding', member: 'htu' }))
    expect(await under({ origin: 'https://evil.example' })).toEqual(refused({ reason: 'binding', member: 'origin' }))
  })

  it('includes all device members and binds the request', async () => {
    const credential = await makeDeviceAssertion(laptop, request)
    const encoded = credential.slice('ServiceAssertion '.length, credential.indexOf('.'))
    expect(JSON.parse(new TextDecoder().decode(decodeBase64url(encoded) ?? undefined))).toEqual({
      version: 2,
      purpose: 'auth/device-session',
      userId: laptop.userId,
      scope: laptop.scope,
      did: laptop.did,
      deviceId: laptop.deviceId,
      devicePublicKey: laptop.devicePublicKeyB64u,
      origin: 'https://app.example',
      rootEpoch: 0,
      capabilities: ['chain:append', 'chain:read'],
      issuedAt: NOW,
      expiresAt: NOW + 60_000,
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/),
      aud: 'chain',
      htm: 'POST',
      htu: 'https://core.example/api/chain/append',
      bodyHash: hashHex(body),
    })
  })

  it('is smaller than version 1, which contains its key twice', async () => {
    expect((await makeDeviceAssertion(laptop, request)).length).toBeLessThan(10_000)
  })
})
