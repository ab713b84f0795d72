import { env } from 'cloudflare:workers'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { type Answer, assetOf, dataOf, mint, minted, refused, stored, transfer } from './assets.fixture.ts'
import { gathering, interrupted } from './database.fixture.ts'
import { freshCaller, sendWith } from './harness.ts'

const MOVE = 'INSERT INTO asset_transfers'
const callers = (count: number) => Promise.all(Array.from({ length: count }, () => freshCaller()))
const errorsOf = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status !== 200).map(({ body }) => body['error'])

/** The one winner among the answers; everything that is stored must be its. */
async function expectOneMove(assetId: string, from: TestCaller, to: readonly TestCaller[], answers: readonly Answer[]) {
  const winners = to.filter((_, i) => answers[i]?.status === 200)
  expect(winners).toHaveLength(1)
  const [a, b] = [from.identity.did, winners[0]!.identity.did]
  expect(await stored(assetId)).toEqual({
    owner: b,
    transfers: 1,
    events: [{ position: 0, previous_owner: a, new_owner: b }],
  })
}

describe.each([2, 20])('%i transfers of one asset at once', (count) => {
  it('that all saw the same owner: one wins, to the others the asset has moved', async () => {
    const [owner, recipients] = [await freshCaller(), await callers(count)]
    const assetId = await minted(owner)
    const fetch = sendWith(gathering(MOVE, count))
    const answers = await Promise.all(
      recipients.map(({ identity }) => transfer(owner, assetId, identity.did, { fetch })),
    )
    expect(errorsOf(answers)).toEqual(Array<string>(count - 1).fill('asset_moved'))
    await expectOneMove(assetId, owner, recipients, answers)
  })

  it('in whatever order they come: one wins', async () => {
    const [owner, recipients] = [await freshCaller(), await callers(count)]
    const assetId = await minted(owner)
    const answers = await Promise.all(recipients.map(({ identity }) => transfer(owner, assetId, identity.did)))
    const others = errorsOf(answers).filter((error) => error !== 'asset_moved' && error !== 'owner_mismatch')
    expect(others).toEqual([])
    await expectOneMove(assetId, owner, recipients, answers)
  })
})

describe('transfers', () => {
  it('that are one and the same, twenty times at once, are one transfer, and all are told so', async () => {
    const [owner, recipient] = await callers(2)
    const assetId = await minted(owner!)
    const fetch = sendWith(gathering(MOVE, 20))
    const { did } = recipient!.identity
    const answers = await Promise.all(Array.from({ length: 20 }, () => transfer(owner!, assetId, did, { fetch })))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    expect((await stored(assetId)).events).toHaveLength(1)
  })

  it('by an owner who has lost the asset on the way, and got it back, are refused: the standing was another', async () => {
    const [alice, bob, carol] = await callers(3)
    const assetId = await minted(alice!)
    const there = { header: { timestamp: '2026-10-23T11:00:00Z' } }
    let done = false
    const aroundTheWorld = interrupted(MOVE, async () => {
      if (done) return
      done = true
      expect((await transfer(alice!, assetId, bob!.identity.did, there)).status).toBe(200)
      expect((await transfer(bob!, assetId, alice!.identity.did)).status).toBe(200)
    })
    const late = await transfer(alice!, assetId, carol!.identity.did, { fetch: sendWith(aroundTheWorld) })
    expect(late).toMatchObject(refused(409, 'asset_moved'))
    expect(await stored(assetId)).toMatchObject({ owner: alice!.identity.did, transfers: 2 })
  })

  it('of twenty assets at once all arrive', async () => {
    const [owner, recipient] = await callers(2)
    const ids = await Promise.all(Array.from({ length: 20 }, () => minted(owner!)))
    const answers = await Promise.all(ids.map((id) => transfer(owner!, id, recipient!.identity.did)))
    expect(answers.map((answer) => dataOf(answer).owner)).toEqual(ids.map(() => recipient!.identity.did))
  })
})

describe('twenty mints of one asset at once', () => {
  it('by as many callers: one has it', async () => {
    const asset = assetOf()
    const minters = await callers(20)
    const fetch = sendWith(gathering('INSERT INTO assets', 20))
    const answers = await Promise.all(minters.map((minter) => mint(minter, asset, { fetch })))
    expect(errorsOf(answers)).toEqual(Array<string>(19).fill('asset_exists'))
    const winner = minters[answers.findIndex(({ status }) => status === 200)]
    expect(await stored(asset.assetId)).toEqual({ owner: winner?.identity.did, transfers: 0, events: [] })
  })

  it('by one caller: it is minted once, and all are told so', async () => {
    const [caller] = await callers(1)
    const asset = assetOf()
    const fetch = sendWith(gathering('INSERT INTO assets', 20))
    const answers = await Promise.all(Array.from({ length: 20 }, () => mint(caller!, asset, { fetch })))
    expect(new Set(answers.map((answer) => JSON.stringify(dataOf(answer)))).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    const rows = env.DB.prepare('SELECT count(*) AS n FROM assets WHERE asset_id = ?').bind(asset.assetId)
    expect(await rows.first('n')).toBe(1)
  })
})
