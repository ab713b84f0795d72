import { env } from 'cloudflare:workers'
import { signerOf } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'
import { bent, check, MESSAGE, request, strangersKey } from './verification.fixture.ts'

const VALID = { valid: true, keySource: 'request', nonceStatus: 'consumed', timingUs: expect.any(Number) }
const refusal = (error: string) => ({ status: 400, body: { success: false, error } })

describe('POST /api/verify', () => {
  it('answers 200 for a valid signature, in the envelope', async () => {
    const { status, body, headers } = await check('', await request(await strangersKey()))
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: VALID,
      timestamp: expect.any(Number),
      requestId: headers.get('x-request-id'),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('answers 400 for a repeated nonce, whatever the message', async () => {
    const by = await strangersKey()
    const first = await request(by)
    expect((await check('', first)).status).toBe(200)
    expect(await check('', first)).toMatchObject(refusal('nonce_replay'))
    const messageB64u = 'AAAA'
    const signature = await signerOf(by)(new Uint8Array(3))
    const other = { ...first, messageB64u, signatureB64u: Buffer.from(signature).toString('base64url') }
    expect(await check('', other)).toMatchObject(refusal('nonce_replay'))
    expect((await check('', { ...other, nonce: 'n2' })).status).toBe(200)
  })

  it('keeps the nonces of each key apart', async () => {
    for (const by of [await strangersKey(), await strangersKey()])
      expect((await check('', await request(by, { nonce: 'the-same' }))).status).toBe(200)
  })

  it.each(['signatureB64u', 'messageB64u', 'publicKeyB64u'] as const)(
    'answers 400 for another %s and spends no nonce',
    async (member) => {
      const good = await request(await strangersKey())
      expect(await check('', { ...good, [member]: bent(good[member]) })).toMatchObject(refusal('verification_failed'))
      expect((await check('', good)).status).toBe(200)
    },
  )

  it.each<[string, Record<string, unknown>]>([
    ['another algorithm', { algorithm: 'ml-dsa-87' }],
    ['a historical label', { algorithm: 'dilithium3' }],
    ['no algorithm', { algorithm: undefined }],
    ['no nonce', { nonce: undefined }],
    ['an empty nonce', { nonce: '' }],
    ['a nonce with a space', { nonce: 'a b' }],
    ['a nonce of 257 characters', { nonce: 'n'.repeat(257) }],
    ['a key of another length', { publicKeyB64u: 'AAAA' }],
    ['a signature of another length', { signatureB64u: 'AAAA' }],
    ['padding', { messageB64u: 'AA==' }],
    ['a member that nobody knows', { context: '' }],
  ])('answers 400 for %s', async (_, members) => {
    const good = await request(await strangersKey())
    expect(await check('', { ...good, ...members })).toMatchObject(refusal('invalid_request'))
  })

  it('takes a nonce of 256 characters and an empty message', async () => {
    const by = await strangersKey()
    const signature = await signerOf(by)(new Uint8Array(0))
    const signatureB64u = Buffer.from(signature).toString('base64url')
    const empty = await request(by, { nonce: '~'.repeat(256), messageB64u: '', signatureB64u })
    expect((await check('', empty)).status).toBe(200)
  })

  it('remembers a nonce for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const good = await request(await strangersKey())
      expect((await check('', good)).status).toBe(200)
      vi.setSystemTime(Date.now() + 600_000)
      expect(await check('', good)).toMatchObject(refusal('nonce_replay'))
    } finally {
      vi.useRealTimers()
    }
  })

  it('gives a key that it knows no other verdict', async () => {
    const by = await strangersKey()
    const good = await request(by)
    for (let i = 0; i < 2; i++) {
      expect((await check('', { ...good, nonce: `good-${i}` })).status).toBe(200)
      const bad = { ...good, signatureB64u: bent(good.signatureB64u) }
      expect(await check('', { ...bad, nonce: `bad-${i}` })).toMatchObject(refusal('verification_failed'))
    }
    const others = { ...(await request(await strangersKey())), publicKeyB64u: by.publicKeyB64u }
    expect(await check('', others)).toMatchObject(refusal('verification_failed'))
  })
})

describe('POST /api/verify/batch', () => {
  it('gives each item its own answer, in order', async () => {
    const by = await caller()
    const good = await request(by.identity)
    const items = [
      good,
      { ...(await request(by.identity)), signatureB64u: bent(good.signatureB64u) },
      null,
      { ...good, extra: 'not to be quoted' },
      good,
      await request(await strangersKey(), { nonce: good.nonce }),
    ]
    const { status, body } = await check('/batch', { items })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      data: {
        items: [
          { index: 0, ...VALID },
          { index: 1, valid: false, error: 'verification_failed' },
          { index: 2, valid: false, error: 'invalid_request' },
          { index: 3, valid: false, error: 'invalid_request', message: 'item: Unrecognized key extra' },
          { index: 4, valid: false, error: 'nonce_replay' },
          { index: 5, ...VALID },
        ],
        valid: 2,
        invalid: 4,
      },
    })
    expect(await check('', good)).toMatchObject(refusal('nonce_replay'))
  })

  it('takes a hundred items and no more', async () => {
    const good = await request(await strangersKey())
    const items = Array.from({ length: 100 }, (_, i) => ({ ...good, nonce: `n${i}` }))
    expect(await check('/batch', { items })).toMatchObject({ status: 200, body: { data: { valid: 100, invalid: 0 } } })
    expect(await check('/batch', { items: [...items, good] })).toMatchObject({ status: 413, error: 'too_many_items' })
    expect(await check('/batch', { items: [] })).toMatchObject(refusal('invalid_request'))
    expect(await check('/batch', { items: [good], more: 1 })).toMatchObject(refusal('invalid_request'))
  })

  it('takes a hundred keys', async () => {
    const items = await Promise.all(Array.from({ length: 100 }, async () => request(await strangersKey())))
    expect(await check('/batch', { items })).toMatchObject({ status: 200, body: { data: { valid: 100, invalid: 0 } } })
  }, 20_000)

  it('has room for messages of 13 kB', async () => {
    const by = await strangersKey()
    const message = new Uint8Array(9_700)
    const messageB64u = Buffer.from(message).toString('base64url')
    const signatureB64u = Buffer.from(await signerOf(by)(message)).toString('base64url')
    const items = Array.from({ length: 100 }, (_, i) => ({ nonce: `n${i}`, messageB64u, signatureB64u }))
    const { publicKeyB64u } = by
    const full = items.map((item) => ({ ...item, publicKeyB64u, algorithm: 'ml-dsa-65' }))
    expect(await check('/batch', { items: full })).toMatchObject({ status: 200, body: { data: { valid: 100 } } })
  })
})

describe('twenty at once with one nonce', () => {
  it('are one verification and nineteen refusals', async () => {
    const good = await request(await strangersKey())
    const all = await Promise.all(Array.from({ length: 20 }, () => check('', good)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ error }) => error === 'nonce_replay')).toHaveLength(19)
  })
})

describe('what is remembered of nonces', () => {
  const names = new Set<string>()
  const OPEN_NONCES = {
    getByName: (name: string) => {
      names.add(name)
      return env.OPEN_NONCES.getByName(name)
    },
  }

  it('is in the one object of its key, however many nonces there are', async () => {
    const by = await strangersKey()
    for (let i = 0; i < 5; i++) expect((await check('', await request(by), { OPEN_NONCES })).status).toBe(200)
    expect([...names]).toEqual([expect.stringMatching(/^keys-[0-3]$/)])
  })

  it('is lost with one shard for its keys only', async () => {
    const items = await Promise.all(Array.from({ length: 40 }, async () => request(await strangersKey())))
    const asked: string[] = []
    const lossy = {
      getByName: (name: string) => {
        asked.push(name)
        return name === asked[0]
          ? { spend: () => Promise.reject(new Error('overloaded')) }
          : env.OPEN_NONCES.getByName(name)
      },
    }
    const { body } = await check('/batch', { items }, { OPEN_NONCES: lossy })
    const { data } = body as { data: { valid: number; items: { error?: string }[] } }
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeGreaterThan(1)
    const lost = data.items.filter(({ error }) => error === 'dependency_unavailable').length
    expect(lost).toBeGreaterThan(0)
    expect(data.valid).toBe(40 - lost)
    expect(data.valid).toBeGreaterThan(0)
  })

  it('is nothing for a signature that is not good', async () => {
    names.clear()
    const good = await request(await strangersKey())
    await check('', { ...good, signatureB64u: bent(good.signatureB64u) }, { OPEN_NONCES })
    await check('/with-key-status', { ...good, signatureB64u: bent(good.signatureB64u) }, { OPEN_NONCES })
    expect(names.size).toBe(0)
    expect(MESSAGE.length).toBe(9)
  })
})
