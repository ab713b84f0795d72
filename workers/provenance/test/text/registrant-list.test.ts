import { env } from 'cloudflare:workers'
import type { RegistrantPage } from '@svc/protocol/operator/reads'
import { expectRefusal } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'
import { freshId, register, registered, registrationOf, rowOf, textOf } from './text.fixture.ts'

const read = async (assetId: string, after: string | null = null, seed?: Uint8Array<ArrayBuffer>) => {
  const members = { type: 'svc/operator-texts/v1', index: undefined, assetId, after }
  return act(await reindexAct(members, seed), undefined, '/api/operator/texts')
}
const pageOf = async (assetId: string, after: string | null = null) => {
  const { status, body } = await read(assetId, after)
  expect(status).toBe(200)
  return (body as { data: RegistrantPage }).data
}

it('lists to the operator what the registrant of a text has registered, and names nobody', async () => {
  const [one, two] = [await caller(), await caller()]
  const mine = ['a', 'b'].map((seed) => registrationOf(textOf(`listed${seed}`, 40)))
  for (const body of mine) registered(await register(one, body))
  const other = registrationOf(textOf('listedc', 40))
  registered(await register(two, other))
  registered(await register(one, other))
  const ids = mine.map(({ asset_id }) => asset_id).toSorted()
  for (const id of ids) {
    const { texts, next } = await pageOf(id)
    expect([texts.map(({ assetId }) => assetId), next]).toEqual([ids, null])
    expect(JSON.stringify(texts)).not.toContain(String((await rowOf(id))?.['registrant']))
  }
  expect((await pageOf(other.asset_id)).texts).toHaveLength(1)
  expect((await pageOf(freshId())).texts).toEqual([])
  expectRefusal(await read(other.asset_id, null, new Uint8Array(32).fill(6)), 'invalid_signature')
})

it('lists them in pages', async () => {
  const by = await caller()
  const body = registrationOf(textOf('paged', 40))
  registered(await register(by, body))
  const ids = Array.from({ length: 150 }, () => freshId())
  const insert = env.DB.prepare(
    `INSERT INTO text_assets SELECT ?2, chunk_count, word_count, indexed_count, certified, body_key, registrant, claimed_at,
       registered_at FROM text_assets WHERE asset_id = ?1`,
  )
  await env.DB.batch(ids.map((id) => insert.bind(body.asset_id, id)))
  const first = await pageOf(body.asset_id)
  const second = await pageOf(body.asset_id, first.next)
  expect([first.texts.length, second.texts.length, second.next]).toEqual([100, 51, null])
  const found = [...first.texts, ...second.texts].map(({ assetId }) => assetId)
  expect(found).toEqual([...ids, body.asset_id].toSorted())
})
