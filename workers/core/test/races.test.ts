import { describe, expect, it } from 'vitest'
import { anonymous, CORE, call, freshCaller, nextBlock, send } from './harness.ts'

const RACERS = 20
const ascending = (a: number, b: number) => a - b
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted(ascending)
const oneWins = (winner: number, loser: number) =>
  [winner, ...Array<number>(RACERS - 1).fill(loser)].toSorted(ascending)

describe('twenty concurrent requests', () => {
  it('that append to one head: one block is accepted', async () => {
    const caller = await freshCaller()
    const blocks = await Promise.all(
      Array.from({ length: RACERS }, (_, i) => nextBlock(caller, { timestamp: String(i) })),
    )
    const answers = await Promise.all(blocks.map((block) => call(caller, 'POST', '/api/chain/append', block)))
    expect(statuses(answers)).toEqual(oneWins(201, 409))
    expect((await caller.client.chain.head()).index).toBe('1')
    expect((await caller.client.chain.safeVerify()).ok).toBe(true)
  })

  it('that append the same block: it is appended once', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    const answers = await Promise.all(
      Array.from({ length: RACERS }, () => call(caller, 'POST', '/api/chain/append', block)),
    )
    expect(statuses(answers)).toEqual(oneWins(201, 409))
  })

  it('that append large payloads to one head: one block is accepted, with its own payload', async () => {
    const caller = await freshCaller()
    const head = await caller.client.chain.head()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, (_, i) =>
        caller.client.chain.append({ payload: new Uint8Array(70_000).fill(i + 1) }, head),
      ),
    )
    // The SDK rebases the losers, so all end up in the chain, one after the other.
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true)
    const fills = await Promise.all(
      ['1', '2', '3', '4'].map(async (index) => (await caller.client.chain.payload(index)).bytes[0]),
    )
    expect(new Set(fills)).toEqual(new Set([1, 2, 3, 4]))
    expect((await caller.client.chain.safeVerify()).ok).toBe(true)
  })

  it('with one assertion: one succeeds', async () => {
    const { identity, address } = await freshCaller()
    const url = `${CORE}/api/chain/head`
    const authorization = await identity.assertion({ audience: 'chain', method: 'GET', url, now: Date.now() })
    const answers = await Promise.all(
      Array.from({ length: RACERS }, () =>
        send(new Request(url, { headers: { authorization, 'cf-connecting-ip': address } })),
      ),
    )
    expect(statuses(answers)).toEqual(oneWins(200, 401))
  })

  it('that create one identity with different blocks: one genesis is kept', async () => {
    const { client } = await freshCaller({ genesis: false })
    const blocks = await Promise.all(Array.from({ length: RACERS }, () => client.chain.makeGenesis()))
    const answers = await Promise.all(blocks.map((block) => anonymous('POST', '/api/genesis/init', { block })))
    expect(statuses(answers)).toEqual(oneWins(200, 409))
  })

  it('that append through the SDK from several devices: all blocks end up in one order', async () => {
    const { client } = await freshCaller()
    await Promise.all(Array.from({ length: 6 }, () => client.chain.append({})))
    expect(await client.chain.verify()).toMatchObject({ index: '6' })
  })
})
