import { env } from 'cloudflare:workers'
import type { AssetExport } from '@svc/protocol/ledger/assets'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import { dataOf, minted, recordAt, stored, transfer, transferHeaderOf } from './assets.fixture.ts'

/** Inserts transfers between two owners, as the routes would; the first one owns the asset at the end. */
async function moveBackAndForth(assetId: string, alice: TestCaller, bob: TestCaller, times: number): Promise<void> {
  const [a, b] = [alice.identity.did, bob.identity.did]
  const there = JSON.stringify(transferHeaderOf(alice, assetId, b))
  const back = JSON.stringify(transferHeaderOf(bob, assetId, a))
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
       INSERT INTO asset_transfers
       SELECT ?2, 0, i, iif(i % 2, ?3, ?4), '[]', iif(i % 2, ?6, ?5), iif(i % 2, ?5, ?6), 1790000000000 + i FROM n`,
    ).bind(times, assetId, back, there, a, b),
    env.DB.prepare('UPDATE assets SET transfers = ? WHERE asset_id = ?').bind(times, assetId),
  ])
}

const START = Date.parse('2026-09-21T14:13:20.000Z')
const positionOf = ({ occurredAt }: { occurredAt: string }) => Date.parse(occurredAt) - START
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const exported = async (caller: TestCaller, assetId: string, query = '') =>
  (await call(caller, 'POST', `/api/assets/${assetId}/export${query}`)).body['data'] as AssetExport

describe('the history of an asset', () => {
  it('of 128 transfers is complete in the record, and in one page of an export', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await moveBackAndForth(assetId, alice, bob, 128)
    const { transfers = [] } = await recordAt(alice, assetId)
    expect(transfers.map(positionOf)).toEqual(range(0, 128))
    const page = await exported(alice, assetId)
    expect(page.transfers).toEqual(transfers)
    expect(page.cursor).toBeNull()
  })

  it('of 300 transfers: the record has the newest 128, oldest first', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await moveBackAndForth(assetId, alice, bob, 300)
    const { transfers = [] } = await recordAt(bob, assetId)
    expect(transfers.map(positionOf)).toEqual(range(172, 300))
  })

  it('of 300 transfers is exported completely, in pages of 128', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await moveBackAndForth(assetId, alice, bob, 300)
    const first = await exported(alice, assetId)
    expect(first.cursor).toBe('128')
    expect(first.transfers.map(positionOf)).toEqual(range(0, 128))
    expect(first.record).toEqual(await recordAt(alice, assetId))
    const second = await exported(alice, assetId, '?cursor=128')
    expect(second.cursor).toBe('256')
    const third = await exported(alice, assetId, '?cursor=256')
    expect(third.cursor).toBeNull()
    expect(third.transfers.map(positionOf)).toEqual(range(256, 300))
    const whole = await alice.client.assets.export(assetId)
    expect(whole.transfers.map(positionOf)).toEqual(range(0, 300))
    expect(await exported(alice, assetId, '?cursor=300')).toMatchObject({ transfers: [], cursor: null })
  })

  it('never blocks transfers: the 129th works like the first', async () => {
    const [alice, bob, carol] = [await freshCaller(), await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await moveBackAndForth(assetId, alice, bob, 128)
    const record = dataOf(await transfer(alice, assetId, carol.identity.did))
    expect(record.owner).toBe(carol.identity.did)
    expect(record.transfers).toHaveLength(128)
    expect(record.transfers?.[0] && positionOf(record.transfers[0])).toBe(1)
    expect(record.transfers?.at(-1)?.newOwner).toBe(carol.identity.did)
    expect(dataOf(await transfer(alice, assetId, carol.identity.did))).toEqual(record)
    expect((await transfer(carol, assetId, alice.identity.did)).status).toBe(200)
    const { owner, transfers, events } = await stored(assetId)
    expect(owner).toBe(alice.identity.did)
    expect(transfers).toBe(130)
    expect(events.slice(127).map(({ position }) => position)).toEqual([127, 128, 129])
    expect((await alice.client.assets.export(assetId)).transfers).toHaveLength(130)
  })
})
