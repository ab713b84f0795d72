import { decodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { alice, HOUR, NOW, refused, utf8, verdictOn } from './assertion.fixture.ts'
import { type AssertionRequest, makeAssertion } from './make.ts'
import { MAX_LIFETIME_MS } from './payload.ts'

const body = utf8('{"a":1}')
const request: AssertionRequest = {
  audience: 'chain',
  method: 'POST',
  url: 'https://core.example/api/chain/append?x=1',
  body,
  now: NOW,
}
const received = {
  method: 'POST',
  target: '/api/chain/append?x=1',
  bodyHash: () => Promise.resolve(hashHex(body)),
}
const payloadOf = (credential: string) =>
  JSON.parse(new TextDecoder().decode(decodeBase64url(credential.slice(17, credential.indexOf('.'))) ?? undefined))

describe('makeAssertion', () => {
  it('makes an assertion that verifies for this request', async () => {
    expect(await verdictOn(await makeAssertion(alice, request), { request: received })).toMatchObject({
      ok: true,
      value: { userId: alice.userId },
    })
  })

  it('includes all required members and all three bindings', async () => {
    const payload = payloadOf(await makeAssertion(alice, request))
    expect(payload).toEqual({
      version: 1,
      purpose: 'auth/session',
      userId: alice.userId,
      chainId: alice.publicKeyB64u,
      publicChainKey: alice.publicKeyB64u,
      issuedAt: NOW,
      expiresAt: NOW + 60_000,
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/),
      aud: 'chain',
      htm: 'POST',
      htu: 'https://core.example/api/chain/append?x=1',
      bodyHash: hashHex(body),
    })
  })

  it('binds an absent body as an empty one', async () => {
    const { body: _, ...bare } = request
    expect(payloadOf(await makeAssertion(alice, bare))).toMatchObject({
      bodyHash: '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004',
    })
  })

  it('makes an assertion that does not verify for another method, URL or body', async () => {
    const credential = await makeAssertion(alice, request)
    const under = (members: object) => verdictOn(credential, { request: { ...received, ...members } })
    expect(await under({ method: 'PUT' })).toEqual(refused({ reason: 'binding', member: 'htm' }))
    expect(await under({ target: '/api/chain/append' })).toEqual(refused({ reason: 'binding', member: 'htu' }))
    expect(await under({ bodyHash: () => Promise.resolve(hashHex(utf8('{}'))) })).toEqual(
      refused({ reason: 'binding', member: 'bodyHash' }),
    )
  })

  it('never uses a nonce twice', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => makeAssertion(alice, request)))
    expect(new Set(made.map((credential) => (payloadOf(credential) as { nonce: string }).nonce)).size).toBe(50)
  })

  it('accepts a lifetime of at most one hour', async () => {
    expect(MAX_LIFETIME_MS).toBe(HOUR)
    const lasting = (lifetimeMs: number) => makeAssertion(alice, { ...request, lifetimeMs })
    expect((await verdictOn(await lasting(HOUR), { request: received })).ok).toBe(true)
    expect(await verdictOn(await lasting(HOUR + 1), { request: received })).toEqual(refused({ reason: 'too_long' }))
  })
})
