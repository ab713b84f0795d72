import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { BASE, caller, sendWith } from '../harness.ts'
import { objectsAndNames } from '../sweep.fixture.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'
import { matchesOf, query, queryOf, register, registered, registrationOf, textOf } from './text.fixture.ts'

const rowsOf = async (assetId: string) => {
  const tables = ['text_assets', 'text_claimants', 'vector_sets']
  const counts = tables.map((table) =>
    env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE asset_id = ?`).bind(assetId).first<number>('n'),
  )
  return Promise.all(counts)
}
type Body = ReturnType<typeof registrationOf>
const found = async (text: string, id: string) =>
  matchesOf(await query(queryOf(text))).matches.filter(({ asset_id }) => asset_id === id).length

describe('a registration of a text', () => {
  it('is deleted by its owner, and can be made anew', async () => {
    const by = await caller()
    const text = textOf('mine', 120)
    const body = registrationOf(text)
    registered(await register(by, body))
    await by.client.provenance.deleteText(body.asset_id)
    expect(await found(text, body.asset_id)).toBe(0)
    expect(await rowsOf(body.asset_id)).toEqual([0, 0, 0])
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
    expect(registered(await register(by, body)).duplicate).toBe(false)
    expect(await found(text, body.asset_id)).toBe(1)
  })

  it('leaves the text to the others who registered it, and the last takes it along', async () => {
    const [one, two] = [await caller(), await caller()]
    const text = textOf('ours', 120)
    const body = registrationOf(text)
    registered(await register(one, body))
    expect(registered(await register(two, body)).duplicate).toBe(true)
    expect(await rowsOf(body.asset_id)).toEqual([1, 2, 1])
    await one.client.provenance.deleteText(body.asset_id)
    expect(await found(text, body.asset_id)).toBe(1)
    await expect(one.client.provenance.deleteText(body.asset_id)).rejects.toMatchObject({ status: 404 })
    await two.client.provenance.deleteText(body.asset_id)
    expect(await found(text, body.asset_id)).toBe(0)
    expect(await rowsOf(body.asset_id)).toEqual([0, 0, 0])
  })

  it('stays with its owner under a later version of the seed, for as long as the first one is kept', async () => {
    const [by, other] = [await caller(), await caller()]
    const [body, second, third] = ['before', 'after', 'untouched'].map((seed) => registrationOf(textOf(seed, 120))) as [
      Body,
      Body,
      Body,
    ]
    registered(await register(by, body))
    registered(await register(other, third))
    const changing = { CLAIMANTS_SEED_2: '2d'.repeat(32) }
    const without = { ...changing, CLAIMANTS_SEED: '' }
    const deleted = async (assetId: string, replaced: object, owner = by) => {
      const headers = { authorization: await owner.assertion('provenance') }
      const request = new Request(`${BASE}/api/text/${assetId}`, { method: 'DELETE', headers })
      return (await sendWith(replaced)(request)).status
    }
    expect(await deleted(body.asset_id, without)).toBe(404)
    registered(await register(by, second, { replaced: changing }))
    // What else its owner has is under the later version from then on.
    expect(await deleted(body.asset_id, without)).toBe(200)
    expect(await deleted(second.asset_id, without)).toBe(200)
    expect(await deleted(third.asset_id, without, other)).toBe(404)
    expect(await deleted(third.asset_id, changing, other)).toBe(200)
  })

  it('is deleted by nobody else, and not by a registration of another text', async () => {
    const [one, two] = [await caller(), await caller()]
    const [text, other] = [textOf('hers', 120), textOf('his', 120)]
    const body = registrationOf(text)
    registered(await register(one, body))
    registered(await register(two, registrationOf(other)))
    await expect(two.client.provenance.deleteText(body.asset_id)).rejects.toMatchObject({ status: 404 })
    expect(await found(text, body.asset_id)).toBe(1)
  })

  it('deleted while another registers it is there for the other, or can be made by the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await caller(), await caller()]
      const text = textOf(`race ${round}`, 120)
      const body = registrationOf(text)
      registered(await register(one, body))
      const [, answer] = await Promise.all([one.client.provenance.deleteText(body.asset_id), register(two, body)])
      if (answer.status !== 200) expectRefusal(answer, 'registration_pending')
      if (answer.status !== 200) registered(await register(two, body))
      expect(await found(text, body.asset_id)).toBe(1)
      expect(await rowsOf(body.asset_id)).toEqual([1, 1, 1])
    }
  })

  it('without a chunk within the text is in no index, and is deleted like any other', async () => {
    const by = await caller()
    const body = registrationOf(textOf('beyond', 40))
    const chunks = body.chunks.map((chunk) => ({ ...chunk, start: chunk.start + 40 }))
    expect(registered(await register(by, { ...body, chunks })).chunk_count).toBe(chunks.length)
    expect(await rowsOf(body.asset_id)).toEqual([1, 1, 0])
    expect(registered(await register(by, body)).duplicate).toBe(true)
    await by.client.provenance.deleteText(body.asset_id)
    expect(await rowsOf(body.asset_id)).toEqual([0, 0, 0])
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('is forgotten with a takedown', async () => {
    const by = await caller()
    const body = registrationOf(textOf('down', 120))
    registered(await register(by, body))
    const subject = { kind: 'text', id: body.asset_id }
    const members = { type: 'svc/operator-takedown/v1', index: undefined, after: undefined, subject, reason: 'legal' }
    expect((await act(await reindexAct(members))).status).toBe(200)
    expect(await rowsOf(body.asset_id)).toEqual([0, 0, 0])
    await expect(by.client.provenance.deleteText(body.asset_id)).rejects.toMatchObject({ status: 404 })
  })
})
