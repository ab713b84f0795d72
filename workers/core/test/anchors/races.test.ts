import { env } from 'cloudflare:workers'
import { safeVerifyAnchor } from '@svc/client/verify'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { idOf } from '../../src/anchors/rows.ts'
import { freshCaller } from '../harness.ts'
import {
  anchored,
  freshRoot,
  indexOf,
  logKey,
  publicationOf,
  reader,
  report,
  sizeOf,
  submission,
  submit,
} from './anchors.fixture.ts'

const IDENTITIES = 50
const EACH = 20
const ALL = IDENTITIES * EACH

const kept = async () =>
  (
    await env.DB.prepare('SELECT idx, anchor_id FROM anchors ORDER BY log_no, idx').all<{
      idx: number
      anchor_id: number[]
    }>()
  ).results.map(({ idx, anchor_id }) => ({ idx, anchor_id: idOf(anchor_id) }))

describe('a thousand concurrent anchors of fifty identities', () => {
  let taken: AnchorRecord[] = []

  it('are all accepted, each in its own place', { timeout: 120_000 }, async () => {
    const callers = await Promise.all(Array.from({ length: IDENTITIES }, () => freshCaller()))
    const answers = await Promise.all(
      callers.map(async ({ client }) => {
        const records: AnchorRecord[] = []
        for (let i = 0; i < EACH; i++) records.push(await client.anchors.submit({ root: freshRoot(), epoch: 'e' }))
        return records
      }),
    )
    taken = answers.flat()
    expect(new Set(taken.map(({ anchorId }) => anchorId)).size).toBe(ALL)
    const indexes = taken.map(indexOf).toSorted((a, b) => a - b)
    expect(indexes).toEqual(Array.from({ length: ALL }, (_, i) => i + 1))
    // The anchors of one owner keep the order in which they were sent.
    for (const records of answers) expect(records).toEqual(records.toSorted((a, b) => indexOf(a) - indexOf(b)))
  })

  it('are in D1 as they are in the log', async () => {
    const byIndex = taken.toSorted((a, b) => indexOf(a) - indexOf(b))
    expect(await kept()).toEqual(byIndex.map((record) => ({ idx: indexOf(record), anchor_id: record.anchorId })))
    expect(await sizeOf()).toBe(ALL + 1)
    const proof = await reader().stateProof(2_048)
    expect(proof.anchors.map(({ anchorId }) => anchorId)).toEqual(byIndex.map(({ anchorId }) => anchorId))
  })

  it('are read and proved as they were acknowledged', async () => {
    const key = { logKeyB64u: await logKey() }
    for (const record of [0, 1, 255, 256, 511, 512, 700, 998, 999].map((at) => taken[at]!)) {
      const bundle = await reader().bundle(record.anchorId)
      expect(bundle.record).toEqual(record)
      expect(await safeVerifyAnchor(bundle, key, REALMS)).toMatchObject({ ok: true })
    }
  })
})

describe('twenty concurrent requests', () => {
  it('for one root by one owner create one anchor', async () => {
    const caller = await freshCaller()
    const body = await submission(caller)
    const size = await sizeOf()
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(caller, body)))
    const [first] = answers
    expect(first).toMatchObject({ status: 200, body: { position: { index: size } } })
    expect(answers).toEqual(Array.from({ length: 20 }, () => first))
    expect(await sizeOf()).toBe(size + 1)
    expect((await kept()).filter(({ anchor_id: id }) => id === first?.body['anchorId'])).toHaveLength(1)
  })

  it('for one root by twenty owners create an anchor each', async () => {
    const callers = await Promise.all(Array.from({ length: 20 }, () => freshCaller()))
    const root = freshRoot()
    const records = await Promise.all(callers.map(({ client }) => client.anchors.submit({ root, epoch: 'e' })))
    expect(new Set(records.map(({ anchorId }) => anchorId)).size).toBe(20)
    expect(new Set(records.map(indexOf)).size).toBe(20)
  })

  it('with reports under one nonce: one is accepted', async () => {
    const { anchorId } = await anchored()
    const nonce = crypto.randomUUID()
    const reports = await Promise.all(
      Array.from({ length: 20 }, (_, i) => publicationOf(anchorId, { nonce, tx: `0x${i}` })),
    )
    const answers = await Promise.all(reports.map(report))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    const { chains } = await reader().read(anchorId)
    expect(chains).toHaveLength(1)
    expect(won[0]?.body['chains']).toEqual(chains)
  })

  it('with reports of one transaction, published and confirmed: it is stored once, confirmed', async () => {
    const { anchorId } = await anchored()
    const reports = await Promise.all(
      Array.from({ length: 20 }, (_, i) => publicationOf(anchorId, { state: i === 7 ? 'confirmed' : 'published' })),
    )
    const answers = await Promise.all(reports.map(report))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await reader().read(anchorId)).toMatchObject({
      status: 'confirmed',
      chains: [{ chain: 'example-ledger', tx: '0xabc' }],
    })
  })
})
