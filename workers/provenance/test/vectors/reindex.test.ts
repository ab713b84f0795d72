import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { matchesOf, query, queryOf, register, registrationOf, rowOf, textOf } from '../text/text.fixture.ts'
import { act, reindexAct } from './reindex.fixture.ts'
import { RecordedVectorize } from './vectorize.fixture.ts'

describe('the operator’s reindexing', () => {
  it('makes an index of what is kept, page by page, and counts what is lost', async () => {
    const by = await caller()
    const texts = ['r1', 'r2', 'r3'].map((seed) => textOf(seed, 60))
    const sent = texts.map((text) => registrationOf(text))
    for (const registration of sent) await register(by, registration)
    const lost = String((await rowOf(sent[1]?.asset_id ?? ''))?.['body_key'])
    await env.BLOBS.delete(lost)
    const recorded = new RecordedVectorize()
    const done = await act(await reindexAct(), { TEXT_VECTORS: recorded })
    expect(done.body).toMatchObject({
      data: {
        type: 'svc/operator-reindex/v1',
        indexed: 2,
        missing: 1,
        next: null,
        recordedAt: expect.any(Number),
      },
    })
    recorded.settle()
    const found = await Promise.all(
      texts.map((text) => query(queryOf(text), undefined, { replaced: { TEXT_VECTORS: recorded } })),
    )
    expect(found.map((exchange) => matchesOf(exchange).matches.map(({ asset_id }) => asset_id))).toEqual([
      [sent[0]?.asset_id],
      [],
      [sent[2]?.asset_id],
    ])
  })

  it('goes on after the set that it is told', async () => {
    const insert = env.DB.prepare(
      "INSERT INTO vector_sets (service, asset_id, did, body_key) VALUES ('video', ?, ?, 'x')",
    )
    await env.DB.batch(Array.from({ length: 250 }, (_, i) => insert.bind(`asset-${i}`, 'did')))
    const { next } = ((await act(await reindexAct({ index: 'video' }))).body as { data: { next: number } }).data
    const rest = await act(await reindexAct({ index: 'video', after: next }))
    expect(rest.body).toMatchObject({ data: { indexed: 0, missing: 50, next: null } })
  })

  it('is done for the operator alone, and once for each act', async () => {
    expectRefusal(await act(await reindexAct({}, new Uint8Array(32).fill(6))), 'invalid_signature')
    expectRefusal(await act(await reindexAct({ issuedAt: Date.now() - 301_000 })), 'statement_expired')
    const signed = await reindexAct()
    expect((await act(signed)).status).toBe(200)
    expectRefusal(await act(signed), 'statement_replay')
    expectRefusal(await act(await reindexAct(), { OPERATOR_PUBLIC_KEY: '' }), 'operator_acts_disabled')
    expectRefusal(await act(await reindexAct({ index: 'all' })), 'invalid_request')
    expectRefusal(await act(await reindexAct({ service: 'core' })), 'invalid_request')
  })

  it('is refused where no index is bound, and may then be sent again', async () => {
    const signed = await reindexAct()
    expectRefusal(await act(signed, { VECTOR_INDEX: undefined }), 'index_not_provisioned')
    expect((await act(signed)).status).toBe(200)
  })
})
