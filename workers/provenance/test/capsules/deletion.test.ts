import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { COMPLETE, databaseWith } from '../database.fixture.ts'
import { caller } from '../harness.ts'
import { objectsAndNames, sweepAt } from '../sweep.fixture.ts'
import { register as registerText, registrationOf, textOf } from '../text/text.fixture.ts'
import { freshFile, get, register, signed } from './capsules.fixture.ts'

const HOUR = 3_600_000
const vector = () => Array.from({ length: 256 }, () => (Math.random() < 0.5 ? 1 : -1))
const failing = (start: string) =>
  databaseWith((sql, work) => (sql.includes(start) ? Promise.reject(new Error('crashed')) : work()))
const swept = async () => {
  await sweepAt(Date.now() + 2 * HOUR)
  return objectsAndNames()
}

describe('an owner’s registration of an asset', () => {
  it('can be deleted with its vectors, and the others stay as they are', async () => {
    const [one, two, three] = [await caller(), await caller(), await caller()]
    const file = freshFile()
    const mine = vector()
    const sent = await signed(one, file)
    const { assetId } = await one.client.provenance.register(sent, { vectors: { fragment: [mine] } })
    await two.client.provenance.register(await signed(two, file))
    await one.client.provenance.deleteCapsule(assetId)
    expect((await one.client.provenance.search('fragment', [mine])).matches).toEqual([])
    expectRefusal(await get(`/api/capsule/${assetId}?did=${one.identity.did}`), 'not_found')
    expect(await two.client.provenance.capsule(assetId)).toMatchObject({ position: 2, claimCount: 1 })
    await two.client.provenance.deleteCapsule(assetId)
    expectRefusal(await get(`/api/capsule/${assetId}`), 'not_found')
    expect(await three.client.provenance.register(await signed(three, file))).toMatchObject({ position: 3 })
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('is deleted by nobody else', async () => {
    const [one, two] = [await caller(), await caller()]
    const { assetId } = await one.client.provenance.register(await signed(one))
    await expect(two.client.provenance.deleteCapsule(assetId)).rejects.toMatchObject({ status: 404 })
    expect(await one.client.provenance.capsule(assetId)).toMatchObject({ did: one.identity.did })
  })

  it('is deleted once by twenty at once', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const done = await Promise.allSettled(Array.from({ length: 20 }, () => by.client.provenance.deleteCapsule(assetId)))
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('whose object cannot be deleted at once is gone for readers, and the object with the next sweep', async () => {
    const by = await caller()
    const { assetId } = await by.client.provenance.register(await signed(by))
    const { results } = await env.DB.prepare('SELECT body_key FROM capsules WHERE asset_id = ?').bind(assetId).all()
    const key = String(results[0]?.['body_key'])
    await env.DB.batch([
      env.DB.prepare('INSERT INTO loose_objects (key, since) VALUES (?, 0)').bind(key),
      env.DB.prepare('DELETE FROM capsules WHERE asset_id = ?').bind(assetId),
    ])
    expect(await env.BLOBS.head(key)).not.toBeNull()
    await sweepAt(Date.now())
    expect(await env.BLOBS.head(key)).toBeNull()
  })
})

describe('objects that no row names', () => {
  it('are not left by a capsule that is repeated with new vectors', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent, { vectors: { fragment: [vector()], semantic: [vector()] } })
    for (let i = 0; i < 4; i += 1) {
      await by.client.provenance.register(sent, { vectors: { fragment: [vector()], semantic: [vector()] } })
    }
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('are deleted after an hour when the vectors of a repeated capsule got no row, twelve times', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent)
    const before = await swept()
    for (let i = 0; i < 12; i += 1) {
      const vectors = { fragment: [vector()], semantic: [vector()], video: [{ at_ms: 0, values: vector() }] }
      const answer = await register(by, { ...sent, vectors }, { replaced: failing('INSERT INTO vector_sets') })
      expectRefusal(answer, 'dependency_unavailable')
    }
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 36)
    expect(await swept()).toEqual(before)
  })

  it('are not left by vectors that come with the same capsule at once', async () => {
    const by = await caller()
    const sent = await signed(by)
    await by.client.provenance.register(sent)
    await Promise.all(
      Array.from({ length: 10 }, () => by.client.provenance.register(sent, { vectors: { fragment: [vector()] } })),
    )
    const { objects, names } = await objectsAndNames()
    expect(objects).toEqual(names)
  })

  it('are not left by a refused block, and neither is what was prepared', async () => {
    const by = await caller()
    const before = await objectsAndNames()
    const sent = await by.client.provenance.bind(await signed(by), await by.client.chain.head())
    await by.client.chain.append({})
    expectRefusal(await register(by, sent), 'stale_head')
    expect(await objectsAndNames()).toEqual(before)
    const left = env.DB.prepare('SELECT count(*) AS n FROM capsules_prepared WHERE asset_id = ?')
    expect(await left.bind(sent.capsule.assetId).first('n')).toBe(0)
  })

  it('are deleted after an hour with a capsule that was prepared and never completed', async () => {
    const by = await caller()
    const sent = await signed(by)
    expectRefusal(await register(by, sent, { replaced: failing(COMPLETE) }), 'dependency_unavailable')
    const prepared = await objectsAndNames()
    expect(prepared.objects).toEqual(prepared.names)
    await sweepAt(Date.now() + HOUR / 2)
    expect(await objectsAndNames()).toEqual(prepared)
    const { objects, names } = await swept()
    expect(objects).toEqual(names)
    expect(objects.length).toBe(prepared.objects.length - 1)
    expect((await register(by, sent)).status).toBe(200)
  })

  it('are deleted after an hour when the row of their object could not be written', async () => {
    const by = await caller()
    const before = await swept()
    const capsule = await register(by, await signed(by), { replaced: failing('INSERT INTO capsules_prepared') })
    expectRefusal(capsule, 'dependency_unavailable')
    const text = registrationOf(textOf('orphan', 80))
    expectRefusal(
      await registerText(by, text, { replaced: failing('INSERT INTO text_assets') }),
      'dependency_unavailable',
    )
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 2)
    expect(await swept()).toEqual(before)
  })

  it('are deleted with the claim of a text that was never completed, which names who made it', async () => {
    const by = await caller()
    const before = await swept()
    const text = registrationOf(textOf('abandoned', 80))
    await registerText(by, text, { replaced: failing('UPDATE text_assets SET claimed_at = NULL') })
    expect((await objectsAndNames()).objects).toHaveLength(before.objects.length + 1)
    expect(await swept()).toEqual(before)
    expect((await registerText(by, text)).status).toBe(200)
  })
})
