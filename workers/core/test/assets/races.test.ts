import { env } from 'cloudflare:workers'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { gathering, interrupted } from '../database.fixture.ts'
import { freshCaller, sendWith } from '../harness.ts'
import {
  type Answer,
  assetOf,
  certifiedAsset,
  dataOf,
  mint,
  minted,
  mintSigned,
  refused,
  stored,
  transfer,
} from './assets.fixture.ts'

const MOVE = 'INSERT INTO asset_transfers'
const callers = (count: number) => Promise.all(Array.from({ length: count }, () => freshCaller()))
const errorsOf = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status !== 200).map(({ body }) => body['error'])

/** Finds the one winner among the answers; everything stored must be its own. */
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

describe.each([2, 20])('%i concurrent transfers of one asset', (count) => {
  it('that all saw the same owner: one wins, the others learn that the asset has moved', async () => {
    const [owner, recipients] = [await freshCaller(), await callers(count)]
    const assetId = await minted(owner)
    const fetch = sendWith(gathering(MOVE, count))
    const answers = await Promise.all(
      recipients.map(({ identity }) => transfer(owner, assetId, identity.did, { fetch })),
    )
    expect(errorsOf(answers)).toEqual(Array<string>(count - 1).fill('asset_moved'))
    await expectOneMove(assetId, owner, recipients, answers)
  })

  it('in any order: one wins', async () => {
    const [owner, recipients] = [await freshCaller(), await callers(count)]
    const assetId = await minted(owner)
    const answers = await Promise.all(recipients.map(({ identity }) => transfer(owner, assetId, identity.did)))
    const others = errorsOf(answers).filter((error) => error !== 'asset_moved' && error !== 'owner_mismatch')
    expect(others).toEqual([])
    await expectOneMove(assetId, owner, recipients, answers)
  })
})

describe('transfers', () => {
  it('that are identical and sent twenty times at once are one transfer, returned to all', async () => {
    const [owner, recipient] = await callers(2)
    const assetId = await minted(owner!)
    const fetch = sendWith(gathering(MOVE, 20))
    const { did } = recipient!.identity
    const answers = await Promise.all(Array.from({ length: 20 }, () => transfer(owner!, assetId, did, { fetch })))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    expect((await stored(assetId)).events).toHaveLength(1)
  })

  it('by an owner who lost the asset in the meantime and got it back are rejected: its standing has changed', async () => {
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

  it('of twenty assets at once all succeed', async () => {
    const [owner, recipient] = await callers(2)
    const ids = await Promise.all(Array.from({ length: 20 }, () => minted(owner!)))
    const answers = await Promise.all(ids.map((id) => transfer(owner!, id, recipient!.identity.did)))
    expect(answers.map((answer) => dataOf(answer).owner)).toEqual(ids.map(() => recipient!.identity.did))
  })
})

describe('twenty concurrent mints of one asset', () => {
  it('by different callers: one gets it', async () => {
    const asset = assetOf()
    const minters = await callers(20)
    const fetch = sendWith(gathering('INSERT INTO assets', 20))
    const answers = await Promise.all(minters.map((minter) => mint(minter, asset, { fetch })))
    expect(errorsOf(answers)).toEqual(Array<string>(19).fill('asset_exists'))
    const winner = minters[answers.findIndex(({ status }) => status === 200)]
    expect(await stored(asset.assetId)).toEqual({ owner: winner?.identity.did, transfers: 0, events: [] })
  })

  it('by one caller: it is minted once, and returned to all', async () => {
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

describe('twenty concurrent mints under an id that certifies one of the callers', () => {
  /** The record that stands at the end, and what it displaced. */
  const outcome = async (reader: TestCaller, assetId: string) => {
    const { record, proof } = await reader.client.assets.read(assetId)
    return { owner: record.owner, proof: proof.owner, displaced: await reader.client.assets.displaced(assetId) }
  }

  it('by nineteen strangers and, signed, by her: she has it, even if a stranger came first', async () => {
    const [alice, ...strangers] = await callers(20)
    const asset = await certifiedAsset(alice!)
    const fetch = sendWith(gathering('INSERT INTO assets', 20))
    const answers = await Promise.all([
      mintSigned(alice!, asset, { fetch }),
      ...strangers.map((stranger) => mint(stranger, asset, { fetch })),
    ])
    expect(dataOf(answers[0]).owner).toBe(alice!.identity.did)
    const { owner, proof, displaced } = await outcome(alice!, asset.assetId)
    expect([owner, proof]).toEqual([alice!.identity.did, 'proved'])
    // At most one stranger was first, and was told so; everybody else got an error.
    const told = strangers.filter((_, i) => answers[i + 1]?.status === 200)
    expect(told.length).toBeLessThanOrEqual(1)
    for (const { identity } of told) expect(displaced?.record.owner).toBe(identity.did)
    const others = errorsOf(answers)
    expect(others).toEqual(Array<string>(20 - 1 - told.length).fill('asset_exists'))
    const rows = env.DB.prepare('SELECT count(*) AS n FROM assets WHERE asset_id = ?').bind(asset.assetId)
    expect(await rows.first('n')).toBeLessThanOrEqual(2)
  })

  it('by her alone, ten of them signed: the proved record stands, and is returned to all who signed', async () => {
    const [alice] = await callers(1)
    const asset = await certifiedAsset(alice!)
    const fetch = sendWith(gathering('INSERT INTO assets', 20))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? mint : mintSigned)(alice!, asset, { fetch })),
    )
    for (const answer of answers) expect(dataOf(answer).owner).toBe(alice!.identity.did)
    for (const answer of answers.filter((_, i) => i % 2 === 0)) expect(dataOf(answer).attestations).toHaveLength(1)
    expect(await outcome(alice!, asset.assetId)).toMatchObject({ owner: alice!.identity.did, proof: 'proved' })
  })
})

describe('a transfer of a record that is displaced meanwhile', () => {
  it('fails, and changes neither record', async () => {
    const [alice, mallory, carol] = await callers(3)
    const asset = await certifiedAsset(alice!)
    expect((await mint(mallory!, asset)).status).toBe(200)
    let done = false
    const overtaken = interrupted(MOVE, async () => {
      if (done) return
      done = true
      expect((await mintSigned(alice!, asset)).status).toBe(200)
    })
    const fetch = sendWith(overtaken)
    expect(await transfer(mallory!, asset.assetId, carol!.identity.did, { fetch })).toMatchObject(
      refused(409, 'asset_moved'),
    )
    expect(await stored(asset.assetId)).toEqual({ owner: alice!.identity.did, transfers: 0, events: [] })
    const displaced = await alice!.client.assets.displaced(asset.assetId)
    expect(displaced).toMatchObject({ record: { owner: mallory!.identity.did }, transfers: [] })
  })

  it('fails also for the owner who displaced her own unsigned record', async () => {
    const [alice, bob] = await callers(2)
    const asset = await certifiedAsset(alice!)
    expect((await mint(alice!, asset)).status).toBe(200)
    let done = false
    const overtaken = interrupted(MOVE, async () => {
      if (done) return
      done = true
      expect((await mintSigned(alice!, asset)).status).toBe(200)
    })
    const fetch = sendWith(overtaken)
    expect(await transfer(alice!, asset.assetId, bob!.identity.did, { fetch })).toMatchObject(
      refused(409, 'asset_moved'),
    )
    expect((await stored(asset.assetId)).owner).toBe(alice!.identity.did)
  })
})
