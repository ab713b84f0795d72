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
const [SECOND, THIRD] = [{ CLAIMANTS_SEED_2: '2d'.repeat(32) }, { CLAIMANTS_SEED_3: '3d'.repeat(32) }]
type Body = ReturnType<typeof registrationOf>

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

it('lists what was registered under each version of the seed, from either', async () => {
  const [one, two] = [await caller(), await caller()]
  const bodies = ['d', 'e', 'f', 'g'].map((seed) => registrationOf(textOf(`rolled${seed}`, 40)))
  const [before, after, newest, theirs] = bodies as [Body, Body, Body, Body]
  registered(await register(one, before))
  registered(await register(two, theirs))
  registered(await register(one, after, { replaced: SECOND }))
  registered(await register(one, newest, { replaced: { ...SECOND, ...THIRD } }))
  const ids = [before, after, newest].map(({ asset_id }) => asset_id).toSorted()
  for (const id of ids) expect((await pageOf(id)).texts.map(({ assetId }) => assetId)).toEqual(ids)
  expect((await pageOf(theirs.asset_id)).texts).toHaveLength(1)
})

it('counts a claimant once who registers a text again under another version', async () => {
  const [one, two] = [await caller(), await caller()]
  const body = registrationOf(textOf('twice', 40))
  registered(await register(two, body))
  registered(await register(one, body))
  for (const replaced of [SECOND, { ...SECOND, ...THIRD }])
    expect(registered(await register(one, body, { replaced })).duplicate).toBe(true)
  const count = env.DB.prepare('SELECT count(*) AS n FROM text_claimants WHERE asset_id = ?').bind(body.asset_id)
  expect(await count.first<number>('n')).toBe(2)
})

it('takes a claim of the same identity that began under an earlier version', async () => {
  const by = await caller()
  const body = registrationOf(textOf('began', 40))
  registered(await register(by, body))
  await env.DB.prepare('UPDATE text_assets SET registered_at = NULL, claimed_at = ? WHERE asset_id = ?')
    .bind(Date.now(), body.asset_id)
    .run()
  expect(registered(await register(by, body, { replaced: SECOND })).duplicate).toBe(false)
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
