import { signPayload } from '@svc/assertion'
import { signerOf, testIdentity } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, sendWith } from './harness.ts'

const HEAD = '/api/chain/head'
const MINUTE = 60_000
const get = (authorization: string, path = HEAD) => anonymous('GET', path, undefined, { authorization })
const REFUSED = { status: 401, body: { success: false, error: 'unauthorized' } }

describe('an assertion on core', () => {
  it('is accepted once', async () => {
    const { assertion } = await freshCaller()
    const authorization = await assertion('chain')
    expect((await get(authorization)).status).toBe(200)
    expect(await get(authorization)).toMatchObject(REFUSED)
  })

  it('is spent by a request that then fails validation', async () => {
    const { assertion } = await freshCaller()
    const authorization = await assertion('chain')
    expect((await get(authorization, '/api/chain/blocks?from=x')).status).toBe(400)
    expect(await get(authorization)).toMatchObject(REFUSED)
  })

  it.each([
    ['purpose', { purpose: 'auth/other' }],
    ['version', { version: 3 }],
    ['chainId', { chainId: 'AAAA' }],
    ['userId', { userId: 'a'.repeat(96) }],
    ['expiry before issue', { issuedAt: Date.now(), expiresAt: Date.now() - 1 }],
    ['empty nonce', { nonce: '' }],
    ['long nonce', { nonce: 'n'.repeat(257) }],
    ['htm', { htm: 'POST' }],
    ['htu of another route', { htu: `${CORE}/api/sync/status` }],
    ['htu of another deployment', { htu: `https://core.example${HEAD}` }],
    ['bodyHash', { bodyHash: 'a'.repeat(96) }],
  ])('with a wrong %s gets the one answer and stays unspent', async (_, members) => {
    const { assertion, client } = await freshCaller()
    const nonce = crypto.randomUUID()
    expect(await get(await assertion('chain', { nonce, ...members }))).toMatchObject(REFUSED)
    expect((await get(await assertion('chain', { nonce }))).status).toBe(200)
    expect((await client.chain.head()).index).toBe('0')
  })

  it('with an invalid signature does not spend its owner’s nonce', async () => {
    const { identity, assertion } = await freshCaller()
    const mallory = await testIdentity(666)
    const nonce = crypto.randomUUID()
    const now = Date.now()
    const forged = await signPayload(
      { sign: signerOf(mallory) },
      {
        version: 1,
        purpose: 'auth/session',
        userId: identity.userId,
        chainId: identity.publicKeyB64u,
        publicChainKey: identity.publicKeyB64u,
        issuedAt: now,
        expiresAt: now + MINUTE,
        nonce,
        aud: 'chain',
      },
    )
    expect(await get(forged)).toMatchObject(REFUSED)
    expect((await get(await assertion('chain', { nonce }))).status).toBe(200)
  })

  it.each(['notes', 'genesis', 'core', 'identity', 'chain ', 'CHAIN', '*', ''])(
    'for audience "%s" is rejected before any storage access',
    async (aud) => {
      const { assertion } = await freshCaller()
      const untouchable = {
        getByName: () => {
          throw new Error('storage was accessed')
        },
      }
      const authorization = await assertion(aud)
      const response = await sendWith({ IDENTITIES: untouchable })(
        new Request(CORE + HEAD, { headers: { authorization, 'cf-connecting-ip': '2001:db8:a:b::1' } }),
      )
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ success: false, error: 'wrong_audience' })
    },
  )

  it('returns the server’s time if the clock is off by more than two minutes', async () => {
    const { assertion } = await freshCaller()
    const now = Date.now()
    const early = { issuedAt: now + 2 * MINUTE + 5_000, expiresAt: now + 3 * MINUTE }
    const late = { issuedAt: now - 10 * MINUTE, expiresAt: now - 2 * MINUTE - 1 }
    expect(await get(await assertion('chain', early))).toMatchObject({
      status: 401,
      body: { error: 'assertion_not_yet_valid', serverTime: expect.any(Number) },
    })
    expect(await get(await assertion('chain', late))).toMatchObject({
      status: 401,
      body: { error: 'assertion_expired', serverTime: expect.any(Number) },
    })
    const tolerated = { issuedAt: now - 10 * MINUTE, expiresAt: now - MINUTE }
    expect((await get(await assertion('chain', tolerated))).status).toBe(200)
  })

  it('is valid for one hour and not a millisecond longer', async () => {
    const { assertion } = await freshCaller()
    const issuedAt = Date.now()
    expect((await get(await assertion('chain', { issuedAt, expiresAt: issuedAt + 3_600_000 }))).status).toBe(200)
    expect(await get(await assertion('chain', { issuedAt, expiresAt: issuedAt + 3_600_001 }))).toMatchObject({
      status: 401,
      body: { error: 'assertion_too_long' },
    })
  })

  it('of version 2 that no device signed is rejected', async () => {
    const { assertion } = await freshCaller()
    expect(await get(await assertion('chain', { version: 2 }))).toMatchObject(REFUSED)
  })

  it('by a key without an identity leaves no trace', async () => {
    const { assertion, identity } = await freshCaller({ genesis: false })
    expect(await get(await assertion('chain'))).toMatchObject(REFUSED)
    expect((await anonymous('GET', `/api/chain/root/${identity.did}`)).status).toBe(404)
  })

  it('accepts a header of version 1’s size', async () => {
    const { assertion } = await freshCaller()
    const authorization = await assertion('chain')
    expect(authorization.length).toBeGreaterThan(11_000)
    expect((await get(authorization)).status).toBe(200)
  })

  it('is checked before the body: a malformed body reveals nothing to an unknown caller', async () => {
    for (const body of ['{', '[]', 'x'.repeat(300_000)]) {
      expect(await anonymous('POST', '/api/chain/append', body)).toMatchObject(REFUSED)
    }
  })
})
