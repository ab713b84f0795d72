import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { objectsAndNames } from '../sweep.fixture.ts'
import {
  certifiedOf,
  matchesOf,
  query,
  queryOf,
  register,
  registered,
  registrationOf,
  rowOf,
  setsOf,
  textOf,
  units,
} from './text.fixture.ts'

const TEN = Array.from({ length: 10 }, (_, i) => i)
/** Something else under the same id. */
const forged = (assetId: string, seed: string) => registrationOf(textOf(seed, 40), assetId)
const found = async (text: string) => matchesOf(await query(queryOf(text))).matches.map(({ asset_id }) => asset_id)

describe('a text whose id certifies it', () => {
  it('takes the place of what a stranger registered under its id', async () => {
    const [stranger, author] = [await caller(), await caller()]
    const text = textOf('squat', 120)
    const sent = certifiedOf(text)
    const fake = forged(sent.asset_id, 'squatter')
    expect(registered(await register(stranger, fake)).duplicate).toBe(false)
    expect(await found(text)).toEqual([])
    expect(registered(await register(author, sent))).toMatchObject({
      duplicate: false,
      chunk_count: sent.chunks.length,
      word_count: sent.word_count,
    })
    expect(await found(text)).toEqual([sent.asset_id])
    expect(await found(textOf('squatter', 40))).toEqual([])
    expect(await units(author)).toEqual({ used: 1, reserved: 0 })
    expect((await setsOf(sent.asset_id)).results).toHaveLength(1)
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
    await expect(stranger.client.provenance.deleteText(sent.asset_id)).rejects.toMatchObject({ status: 404 })
  })

  it('gives way to nothing else, not even from its author', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const text = textOf('firm', 120)
    const sent = certifiedOf(text)
    const { registered_at_ms } = registered(await register(author, sent))
    for (const by of [stranger, author])
      expect(registered(await register(by, forged(sent.asset_id, 'fake')))).toMatchObject({
        duplicate: true,
        chunk_count: sent.chunks.length,
        registered_at_ms,
      })
    expect(await found(text)).toEqual([sent.asset_id])
  })

  it('replaces an earlier registration of its own author for no second unit', async () => {
    const author = await caller()
    const sent = certifiedOf(textOf('own', 120))
    registered(await register(author, forged(sent.asset_id, 'draft')))
    expect(registered(await register(author, sent)).duplicate).toBe(false)
    expect(await units(author)).toEqual({ used: 1, reserved: 0 })
  })

  it('is what is left of twenty registrations of both kinds at once', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const others = await Promise.all(TEN.map(() => caller()))
    const text = textOf('both', 120)
    const sent = certifiedOf(text)
    const answers = await Promise.all(
      TEN.flatMap((i) => [
        register(others[i]!, forged(sent.asset_id, `forged${i}x`)),
        register(i % 2 ? author : stranger, sent, { address: `2001:db8:5:${i}::1` }),
      ]),
    )
    for (const { status, error } of answers)
      if (status !== 200) expect([status, error]).toEqual([503, 'registration_pending'])
    registered(await register(author, sent))
    expect(await rowOf(sent.asset_id)).toMatchObject({
      certified: 1,
      chunk_count: sent.chunks.length,
      claimed_at: null,
    })
    expect(await found(text)).toEqual([sent.asset_id])
    for (const i of TEN) expect(await found(textOf(`forged${i}x`, 40))).toEqual([])
    expect((await setsOf(sent.asset_id)).results).toHaveLength(1)
  }, 30_000)
})
