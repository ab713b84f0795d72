import { expectRefusal, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, creation, deletion, freshHash, put, rootKey, send } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })
const batch = (hashes: unknown) =>
  prober.send({ method: 'POST', path: '/api/v1/consent/batch', body: JSON.stringify({ hashes }) })
const resultsOf = async (hashes: unknown[]) =>
  ((await batch(hashes)).body as { results: Record<string, unknown>[] }).results

describe('a batch', () => {
  it('answers positionally: hits, misses and duplicates', async () => {
    const by = rootKey(await caller())
    const [hash, revoked, miss, odd] = [freshHash(), freshHash(), freshHash(), `😀 "quoted" \\ ${freshHash()}`]
    await put(await creation(by, hash, { ai_training: 'disallow', search: 'allow' }))
    await put(await creation(by, odd, { search: 'disallow' }))
    await put(await creation(by, revoked))
    await put(await deletion(by, revoked))
    const hit = {
      found: true,
      hash,
      source: 'declared',
      creator_did: by.did,
      preferences: { ai_training: 'disallow', search: 'allow' },
      usage: 'train-ai=n, search=y',
      version: 1,
      updated_at: expect.any(Number) as unknown,
    }
    const results = await resultsOf([hash, miss, hash, revoked, odd, hash.toUpperCase()])
    expect(results).toEqual([
      hit,
      { found: false, hash: miss, source: 'default' },
      hit,
      { found: false, hash: revoked, source: 'default' },
      { ...hit, hash: odd, preferences: { search: 'disallow' }, usage: 'search=n' },
      { found: false, hash: hash.toUpperCase(), source: 'default' },
    ])
  })

  it('of nothing is nothing', async () => {
    expect(await resultsOf([])).toEqual([])
  })

  it('takes 10,000 of the longest identifiers, and no more', async () => {
    const longest = Array.from({ length: 10_000 }, (_, i) => `${String(i).padStart(16, '0')}${'é'.repeat(240)}`)
    const by = rootKey(await caller())
    for (const i of [0, 4_999, 9_999]) await put(await creation(by, longest[i] ?? ''))
    // More than D1 takes in one text.
    expect(JSON.stringify(longest).length).toBeGreaterThan(2_000_000)
    const results = await resultsOf(longest)
    expect(results.map(({ hash }) => hash)).toEqual(longest)
    expect(results.flatMap(({ found }, i) => (found === true ? [i] : []))).toEqual([0, 4_999, 9_999])
    expectRefusal(await batch([...longest, longest[0]]), 'too_many_items')
    expectRefusal(await batch(Array(10_001).fill(null)), 'too_many_items')
  })

  it('is refused as a whole if an identifier is malformed, and names the positions', async () => {
    const hash = freshHash()
    const wrong = [null, 1, '', 'short', 'x'.repeat(257), { hash }, [hash], `${hash}\0`, `${hash}\ud800`, true]
    for (const one of wrong) {
      const answer = await batch([hash, one, hash])
      expectRefusal(answer, 'invalid_request')
      expect(answer.body).toMatchObject({
        message: 'hashes: must be strings of 16 to 256 characters; malformed at 1 (counted from 0)',
      })
    }
    const { body } = await batch([hash, ...Array<string>(20).fill('short'), hash, 'x', 'y'])
    const first = Array.from({ length: 20 }, (_, i) => i + 1).join(', ')
    expect(body).toMatchObject({ message: expect.stringContaining(`malformed at ${first} and 2 more (`) as unknown })
  })

  it('reads 10,000 malformed items, and not many more values than that', async () => {
    expectRefusal(await batch(Array.from({ length: 10_000 }, () => ({ hash: 'x'.repeat(20) }))), 'invalid_request')
    const more = { hashes: [], ...Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, 1])) }
    const sent = { method: 'POST', path: '/api/v1/consent/batch', body: JSON.stringify(more) }
    expectRefusal(await prober.send(sent), 'too_many_items')
  })

  it.each([{}, { hashes: 'x'.repeat(20) }, { hashes: [], more: 1 }, { identifiers: [] }])(
    'refuses %j',
    async (body) => {
      const sent = { method: 'POST', path: '/api/v1/consent/batch', body: JSON.stringify(body) }
      expectRefusal(await prober.send(sent), 'invalid_request')
    },
  )
})
