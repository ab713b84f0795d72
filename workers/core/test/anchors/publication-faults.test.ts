import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { idBytes } from '../../src/anchors/rows.ts'
import { databaseWith, failingAfter, failingBefore } from '../database.fixture.ts'
import { sendWith } from '../harness.ts'
import { anchored, publicationOf, reader, report, reportTo } from './anchors.fixture.ts'

const CHAINS = [{ chain: 'example-ledger', tx: '0xabc' }]
const UNAVAILABLE = { status: 503, body: { success: false, error: 'dependency_unavailable' } }
const WRITE = 'INSERT INTO anchor_publications'

const publications = async (anchorId: string) =>
  (await env.DB.prepare('SELECT chain, tx FROM anchor_publications WHERE anchor_id = ?').bind(idBytes(anchorId)).all())
    .results

/** Fails on every statement after one that contains this text. */
function failingOnceDone(what: string) {
  let isDone = false
  return databaseWith(async (sql, work) => {
    if (isDone) throw new Error('D1 is down')
    isDone = sql.includes(what)
    return work()
  })
}

describe('when D1 fails during the publisher’s callback', () => {
  it('before the write, nothing is stored and the same report succeeds later', async () => {
    const { anchorId } = await anchored()
    const signed = await publicationOf(anchorId)
    expect(await reportTo(sendWith(failingBefore(WRITE)), signed)).toMatchObject(UNAVAILABLE)
    expect(await reader().read(anchorId)).toMatchObject({ status: 'submitted' })
    expect(await report(signed)).toMatchObject({ status: 200, body: { status: 'published', chains: CHAINS } })
    expect(await publications(anchorId)).toEqual(CHAINS)
  })

  it('before the lookup of the anchor, nothing is stored either', async () => {
    const { anchorId } = await anchored()
    const signed = await publicationOf(anchorId)
    expect(await reportTo(sendWith(failingBefore('FROM anchors')), signed)).toMatchObject(UNAVAILABLE)
    expect((await report(signed)).status).toBe(200)
    expect(await publications(anchorId)).toEqual(CHAINS)
  })

  it.each([
    ['with the answer lost', failingAfter],
    ['after it is written', failingOnceDone],
  ])('%s, one publication stands and another report of it changes nothing', async (_, failing) => {
    const { anchorId } = await anchored()
    const signed = await publicationOf(anchorId)
    expect(await reportTo(sendWith(failing(WRITE)), signed)).toMatchObject(UNAVAILABLE)
    expect(await reader().read(anchorId)).toMatchObject({ status: 'published', chains: CHAINS })
    expect(await report(signed)).toMatchObject({ status: 409, body: { error: 'statement_replay' } })
    expect(await report(await publicationOf(anchorId))).toMatchObject({ status: 200, body: { chains: CHAINS } })
    expect(await publications(anchorId)).toEqual(CHAINS)
  })

  it('in the middle of its transaction, the nonce is not spent', async () => {
    const { anchorId } = await anchored()
    const signed = await publicationOf(anchorId)
    const refusal = "BEGIN SELECT RAISE(ABORT, 'D1 is down'); END"
    await env.DB.prepare(`CREATE TRIGGER refuses BEFORE INSERT ON anchor_publications ${refusal}`).run()
    expect(await report(signed)).toMatchObject(UNAVAILABLE)
    await env.DB.prepare('DROP TRIGGER refuses').run()
    expect(await report(signed)).toMatchObject({ status: 200, body: { status: 'published', chains: CHAINS } })
    expect(await publications(anchorId)).toEqual(CHAINS)
  })

  it('while a confirmation is written, the publication stays as it was', async () => {
    const { anchorId } = await anchored()
    await report(await publicationOf(anchorId))
    const confirmation = await publicationOf(anchorId, { state: 'confirmed' })
    expect(await reportTo(sendWith(failingBefore(WRITE)), confirmation)).toMatchObject(UNAVAILABLE)
    expect(await reader().read(anchorId)).toMatchObject({ status: 'published', chains: CHAINS })
    expect(await report(confirmation)).toMatchObject({ status: 200, body: { status: 'confirmed', chains: CHAINS } })
    expect(await publications(anchorId)).toEqual(CHAINS)
  })
})
