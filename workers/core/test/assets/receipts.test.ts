import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { databaseWith, interrupted } from '../database.fixture.ts'
import { call, freshCaller, sendWith } from '../harness.ts'
import { dataOf, minted, refused, transfer } from './assets.fixture.ts'

const receipt = { standard: 'erc721' as const, contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
const ADD = 'INSERT INTO asset_receipts'

/** Inserts receipts of other tokens, as the route would. */
const addRows = (assetId: string, count: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO asset_receipts SELECT ?1, 0, 'erc1155', ?3, CAST(1000 + i AS TEXT), '', NULL, 1790000000000 + i FROM n`,
  )
    .bind(assetId, count, receipt.contract)
    .run()
const pathOf = (assetId: string) => `/api/assets/${assetId}/receipts`

describe('a receipt', () => {
  it('is added by the owner, with its time', async () => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    expect(await caller.client.assets.receipts(assetId)).toEqual([])
    const full = { ...receipt, chainId: '1', txHash: `0x${'0f'.repeat(32)}` }
    const record = await caller.client.assets.addReceipt(assetId, full)
    expect(record.receipts).toEqual([{ ...full, mappedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }])
    expect(await (await freshCaller()).client.assets.receipts(assetId)).toEqual(record.receipts)
    expect(await call(caller, 'GET', pathOf(assetId))).toMatchObject({ status: 200, body: { data: { assetId } } })
  })

  it('cannot be added by anyone else, including a former owner', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    expect(await call(bob, 'POST', pathOf(assetId), receipt)).toMatchObject(refused(403, 'owner_mismatch'))
    await transfer(alice, assetId, bob.identity.did)
    expect(await call(alice, 'POST', pathOf(assetId), receipt)).toMatchObject(refused(403, 'owner_mismatch'))
    expect((await call(bob, 'POST', pathOf(assetId), receipt)).status).toBe(200)
  })

  it('is rejected if the asset is transferred in the meantime, and not reported as exceeding the limit', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const moving = sendWith(interrupted(ADD, () => transfer(alice, assetId, bob.identity.did)))
    const answer = await call(alice, 'POST', pathOf(assetId), receipt, moving)
    expect(answer).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await bob.client.assets.receipts(assetId)).toEqual([])
  })

  it('repeated, is the same receipt, and keeps its first time and transaction', async () => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    const first = await caller.client.assets.addReceipt(assetId, receipt)
    const again = await caller.client.assets.addReceipt(assetId, { ...receipt, txHash: `0x${'0f'.repeat(32)}` })
    expect(again.receipts).toEqual(first.receipts)
  })

  it.each([{ standard: 'erc1155' as const }, { contract: `0x${'0e'.repeat(20)}` }, { tokenId: '8' }, { chainId: '0' }])(
    'with %j is another one',
    async (members) => {
      const caller = await freshCaller()
      const assetId = await minted(caller)
      await caller.client.assets.addReceipt(assetId, receipt)
      const { receipts = [] } = await caller.client.assets.addReceipt(assetId, { ...receipt, ...members })
      expect(receipts).toHaveLength(2)
      expect(receipts).toContainEqual({ ...receipt, ...members, mappedAt: expect.any(String) })
    },
  )

  it.each([
    { standard: 'erc20' },
    { standard: undefined },
    { contract: `0x${'0F'.repeat(20)}` },
    { contract: `0x${'0f'.repeat(19)}` },
    { tokenId: '07' },
    { tokenId: '0x7' },
    { tokenId: 7 },
    { chainId: '-1' },
    { txHash: `0x${'0f'.repeat(31)}` },
    { mappedAt: '2026-10-23T10:00:00Z' },
    { note: 'x' },
  ])('with %j is refused by its schema', async (members) => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    expect(await call(caller, 'POST', pathOf(assetId), { ...receipt, ...members })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect(await caller.client.assets.receipts(assetId)).toEqual([])
  })
})

describe('the receipts of an asset', () => {
  it('are limited to 128; a known one is still returned then', async () => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    await addRows(assetId, 127)
    expect(dataOf(await call(caller, 'POST', pathOf(assetId), receipt)).receipts).toHaveLength(128)
    const other = { ...receipt, tokenId: '8' }
    expect(await call(caller, 'POST', pathOf(assetId), other)).toMatchObject(refused(409, 'receipt_limit'))
    expect((await call(caller, 'POST', pathOf(assetId), receipt)).status).toBe(200)
    expect(await caller.client.assets.receipts(assetId)).toHaveLength(128)
  })

  it('do not exceed 128 when twenty arrive at once for the last place', async () => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    await addRows(assetId, 127)
    const tokens = Array.from({ length: 20 }, (_, i) => ({ ...receipt, tokenId: String(i) }))
    const answers = await Promise.all(tokens.map((token) => call(caller, 'POST', pathOf(assetId), token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body['error'] === 'receipt_limit')).toHaveLength(19)
    expect(await caller.client.assets.receipts(assetId)).toHaveLength(128)
  })

  it('do not prevent a transfer, and stay with the asset', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await addRows(assetId, 128)
    const record = dataOf(await transfer(alice, assetId, bob.identity.did))
    expect(record.owner).toBe(bob.identity.did)
    expect(record.receipts).toHaveLength(128)
  })

  it('survive a failure after the write: the retry finds its own', async () => {
    const caller = await freshCaller()
    const assetId = await minted(caller)
    const lost = databaseWith(async (sql, work) => {
      const answer = await work()
      if (sql.includes(ADD)) throw new Error('D1 is down')
      return answer
    })
    expect((await call(caller, 'POST', pathOf(assetId), receipt, sendWith(lost))).status).toBe(503)
    expect((await caller.client.assets.addReceipt(assetId, receipt)).receipts).toHaveLength(1)
  })
})
