import type { OptOut } from '@svc/protocol/consent/queries'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { caller, creation, DISALLOW, deletion, freshHash, get, put, read, rootKey, update } from '../harness.ts'

afterEach(() => vi.useRealTimers())
const owner = async () => rootKey(await caller())
const creatorPath = (did: string, query = '') => `/api/v1/consent/by-creator/${did}${query}`
const optOut = async (hash: string) =>
  (await get(`/api/v1/partner/opt-out?hash=${encodeURIComponent(hash)}`)).body as OptOut

describe('a read of one record', () => {
  it.each([
    [{ ai_training: 'disallow', search: 'allow' }, 'train-ai=n, search=y'],
    [{ search: 'disallow' }, 'search=n'],
    [{ ai_training: 'allow', generative_ai_training: 'disallow' }, 'train-ai=y'],
    [{ automated_processing: 'disallow', conditional: 'allow' }, ''],
  ] as const)('of %j comes with X-Svc-Consent %j', async (preferences, usage) => {
    const hash = freshHash()
    await put(await creation(await owner(), hash, preferences))
    const { status, headers } = await read(hash)
    expect(status).toBe(200)
    expect(headers.get('x-svc-consent')).toBe(usage)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('X-Svc-Consent')
  })

  it('that is not there is the miss body, without a token', async () => {
    const hash = freshHash()
    const { status, body, headers } = await read(hash)
    expect(status).toBe(404)
    expect(body).toEqual({
      found: false,
      hash,
      source: 'default',
      message: 'No preference is declared for this identifier; the default policy of this service is opt-out',
    })
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect([headers.get('x-svc-consent'), headers.get('etag')]).toEqual([null, null])
  })

  it('finds identifiers of every kind by their exact text', async () => {
    const by = await owner()
    const tail = crypto.randomUUID()
    const kinds = [
      `a/b?c#d%e+f g&h=${tail}`,
      `../${tail}/..`,
      `é ${tail}`,
      `e\u0301 ${tail}`,
      `𝒳😀${tail}`,
      `%41${tail}`,
      `A${tail}`,
      `\n\t${tail}\u007f`,
    ]
    for (const [i, hash] of kinds.entries()) {
      await put(await creation(by, hash, { search: i % 2 === 0 ? 'allow' : 'disallow' }))
    }
    for (const [i, hash] of kinds.entries()) {
      const search = i % 2 === 0 ? 'allow' : 'disallow'
      expect((await read(hash)).body).toMatchObject({ content_hash: hash, preferences: { search } })
    }
  })

  it('takes 16 to 256 characters, however many bytes those are', async () => {
    for (const hash of ['x'.repeat(16), 'é'.repeat(256), '😀'.repeat(256)]) expect((await read(hash)).status).toBe(404)
    for (const hash of ['x'.repeat(15), 'x'.repeat(257), '😀'.repeat(15), '😀'.repeat(257), `\0${'x'.repeat(20)}`]) {
      expectRefusal(await read(hash), 'invalid_request')
    }
  })

  it('is 304 for who has it', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const etag = (await read(hash)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, headers } = await read(hash, { 'if-none-match': tag })
      expect({ status, etag: headers.get('etag') }).toEqual({ status: 304, etag })
      expect(headers.get('x-svc-consent')).toBe('train-ai=n')
    }
    expect((await read(hash, { 'if-none-match': '"x"' })).status).toBe(200)
    await put(await update(by, hash, { search: 'allow' }))
    expect((await read(hash, { 'if-none-match': etag })).status).toBe(200)
  })

  it('says how old it is, and is read anew when it may be kept no longer', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    await put(await creation(by, hash))
    expect((await read(hash)).headers.get('age')).toBeNull()
    for (const seconds of [4, 40, 299]) {
      vi.setSystemTime(start + seconds * 1000)
      expect((await read(hash)).headers.get('age')).toBe(String(seconds))
    }
    vi.setSystemTime(start + 300_000)
    expect((await read(hash)).headers.get('age')).toBeNull()
  })

  it('sees a write at this edge at once, a miss as well as a record', async () => {
    const [by, hash] = [await owner(), freshHash()]
    expect((await read(hash)).status).toBe(404)
    await put(await creation(by, hash))
    expect((await read(hash)).body).toMatchObject({ version: 1 })
    await put(await update(by, hash, { search: 'allow' }))
    expect((await read(hash)).body).toMatchObject({ version: 2 })
    await put(await deletion(by, hash))
    expect((await read(hash)).status).toBe(404)
  })
})

describe('records of a creator', () => {
  it('come in pages, revoked ones left out', async () => {
    const by = await owner()
    const hashes = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}:${crypto.randomUUID()}`)
    for (const hash of hashes) await put(await creation(by, hash))
    await put(await deletion(by, hashes[1] ?? ''))
    const first = await get(creatorPath(by.did, '?limit=3'))
    expect(first.body).toEqual({
      creator_did: by.did,
      items: [0, 2, 3].map((i) => ({
        found: true,
        hash: hashes[i],
        source: 'declared',
        creator_did: by.did,
        preferences: DISALLOW,
        usage: 'train-ai=n',
        version: 1,
        updated_at: expect.any(Number),
      })),
      next: hashes[3],
      kept: { consentRecords: 4, consentActs: 6 },
    })
    expect(first.headers.get('cache-control')).toBe('public, max-age=120')
    const second = await get(creatorPath(by.did, `?limit=3&cursor=${encodeURIComponent(hashes[3] ?? '')}`))
    expect(second.body).toMatchObject({ items: [{ hash: hashes[4] }], next: null })
    expect((await get(creatorPath(by.did, '?limit=0'))).body).toMatchObject({ items: [{ hash: hashes[0] }] })
    const etag = first.headers.get('etag') ?? ''
    expect((await get(creatorPath(by.did, '?limit=3'), { 'if-none-match': etag })).status).toBe(304)
  })

  it('are none for a DID that declares nothing, and a DID that is not canonical is refused', async () => {
    const by = await owner()
    expect((await get(creatorPath(by.did))).body).toEqual({
      creator_did: by.did,
      items: [],
      next: null,
      kept: { consentRecords: 0, consentActs: 0 },
    })
    for (const did of ['did:web:example.com', `${by.did}x`, by.did.slice(8), by.did.toUpperCase()]) {
      expectRefusal(await get(creatorPath(did)), 'invalid_request')
    }
    for (const query of ['?limit=x', '?limit=-1', '?cursor=short', '?page=2']) {
      expectRefusal(await get(creatorPath(by.did, query)), 'invalid_request')
    }
  })
})

describe('the opt-out check', () => {
  it('is true unless training is declared allowed, and says who says so', async () => {
    const by = await owner()
    const declared = async (preferences: Parameters<typeof creation>[2]) => {
      const hash = freshHash()
      await put(await creation(by, hash, preferences))
      return optOut(hash)
    }
    const nobody = { opt_out: true, found: false, creator_did: null, source: 'default', usage: '' }
    expect(await optOut(freshHash())).toMatchObject(nobody)
    const found = { found: true, creator_did: by.did }
    expect(await declared(DISALLOW)).toMatchObject({ ...found, opt_out: true, source: 'declared' })
    expect(await declared({ ai_training: 'allow' })).toMatchObject({ ...found, opt_out: false, source: 'declared' })
    expect(await declared({ search: 'allow' })).toMatchObject({ ...found, opt_out: true, source: 'default' })
  })

  it('may be kept for two minutes, and needs an identifier', async () => {
    const { headers } = await get(`/api/v1/partner/opt-out?hash=${freshHash()}`)
    expect(headers.get('cache-control')).toBe('public, max-age=120')
    expectRefusal(await get('/api/v1/partner/opt-out'), 'invalid_request')
    expectRefusal(await get('/api/v1/partner/opt-out?hash=short'), 'invalid_request')
  })
})
