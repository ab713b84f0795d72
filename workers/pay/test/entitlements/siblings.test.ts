import { env } from 'cloudflare:workers'
import { codeHash } from '@svc/protocol/pay/codes'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { issueFor, redeemFor, standingFor } from '../../src/entitlements/internal.ts'
import { databaseWith } from '../database.fixture.ts'
import { caller } from '../harness.ts'
import { DAY_MS, freshCode, issued, meter, redeem } from '../quota/quota.fixture.ts'

afterEach(() => vi.useRealTimers())

const SIGNUP = { tier: 'notes', source: 'signup', from: null, until: null, planUntil: null }
const freshDid = () => `did:svc:${freshCode().replaceAll('-', '').repeat(2)}`
const standing = (did: string) => standingFor('core', env, did)

describe('core', () => {
  it('reads the tier of an identity, its source and its end, to the millisecond', async () => {
    const did = freshDid()
    expect(await standing(did)).toEqual(SIGNUP)
    const redeemed = await redeemFor('core', env, did, codeHash(await issued({ tier: 'atelier', days: 2 })))
    const until = (redeemed?.from ?? 0) + 2 * DAY_MS
    expect(redeemed).toEqual({ tier: 'atelier', source: 'code', from: expect.any(Number), until, planUntil: null })
    vi.setSystemTime(until - 1)
    expect(await standing(did)).toEqual(redeemed)
    vi.setSystemTime(until)
    expect(await standing(did)).toEqual(SIGNUP)
  })

  it('redeems a code once, until it expires, for the identity that it names', async () => {
    const [did, other] = [freshDid(), freshDid()]
    const redeemableUntil = Date.now() + 10 * DAY_MS
    const [code, late] = [codeHash(await issued({ redeemableUntil })), codeHash(await issued({ redeemableUntil }))]
    vi.setSystemTime(redeemableUntil - 1)
    expect(await redeemFor('core', env, did, code)).toMatchObject({ source: 'code' })
    vi.setSystemTime(redeemableUntil)
    expect(await redeemFor('core', env, did, code)).toMatchObject({ source: 'code' })
    expect(await redeemFor('core', env, other, code)).toBe(null)
    expect(await redeemFor('core', env, other, late)).toBe(null)
    expect(await standing(other)).toEqual(SIGNUP)
  })

  it('redeems the same codes as pay, which move the meters of their owner at once', async () => {
    const by = await caller()
    const code = await issued({ tier: 'atelier' })
    expect(await meter(by, 'text')).toMatchObject({ tier: 'notes' })
    await redeemFor('core', env, by.identity.did, codeHash(code))
    expect(await meter(by, 'text')).toMatchObject({ tier: 'atelier' })
    expect((await redeem(by, code)).status).toBe(200)
  })

  it('issues a code for an approved request, once however often it asks', async () => {
    const [did, code] = [freshDid(), freshCode()]
    const terms = { codeHash: codeHash(code), tier: 'provenance', days: 90 } as const
    const redeemableUntil = Date.now() + DAY_MS
    await Promise.all(Array.from({ length: 20 }, () => issueFor('core', env, { ...terms, redeemableUntil })))
    const redeemed = await redeemFor('core', env, did, terms.codeHash)
    expect(redeemed).toMatchObject({ tier: 'provenance', until: (redeemed?.from ?? 0) + 90 * DAY_MS })
    // Asking again does not make it usable again.
    await issueFor('core', env, { ...terms, redeemableUntil })
    expect(await redeemFor('core', env, freshDid(), terms.codeHash)).toBe(null)
  })

  it('learns nothing while the store is down', async () => {
    const down = databaseWith(() => Promise.reject(new Error('D1 is down')))
    await expect(standingFor('core', { ...env, ...down } as Env, freshDid())).rejects.toThrow('unavailable')
  })
})

describe('anybody else', () => {
  it.each(['keys', 'stranger', undefined])('is refused: %s', async (sibling) => {
    await expect(standingFor(sibling, env, freshDid())).rejects.toThrow('only siblings')
    await expect(redeemFor(sibling, env, freshDid(), codeHash(freshCode()))).rejects.toThrow('only core')
  })

  it.each(['did', 'provenance', 'consent', 'stranger', undefined])('issues no code: %s', async (sibling) => {
    const hash = codeHash(freshCode())
    const code = { codeHash: hash, tier: 'research', days: 1, redeemableUntil: Date.now() + DAY_MS } as const
    await expect(issueFor(sibling, env, code)).rejects.toThrow('only core')
    expect(await redeemFor('core', env, freshDid(), hash)).toBe(null)
  })

  it('may not redeem for another, even if it may read', async () => {
    const code = codeHash(await issued())
    await expect(redeemFor('did', env, freshDid(), code)).rejects.toThrow('only core')
    expect(await standingFor('did', env, freshDid())).toEqual(SIGNUP)
    expect(await redeemFor('core', env, freshDid(), code)).toMatchObject({ source: 'code' })
  })

  it('asks about a DID, and nothing else', async () => {
    await expect(standing('did:web:example.com')).rejects.toThrow()
    await expect(redeemFor('core', env, freshDid(), freshCode())).rejects.toThrow()
  })
})
