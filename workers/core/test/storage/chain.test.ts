import { describe, expect, it } from 'vitest'
import { BLOCK_ROOM } from '../../src/storage/rules.ts'
import { call, freshCaller, nextBlock } from '../harness.ts'
import { issued, redeem } from '../licences/licences.fixture.ts'
import { FREE, kept, leave } from './storage.fixture.ts'

const payload = (length: number) => new Uint8Array(length).fill(7)

describe('the budget of a chain', () => {
  it.each([
    ['beside its block', 1_000],
    ['in object storage', 100_000],
  ])('counts a payload %s', async (_, length) => {
    const caller = await freshCaller()
    await caller.client.chain.append({ payload: payload(length), contentType: 'a/b' })
    expect(await kept(caller, 'chain')).toEqual({ bytes: 2 * BLOCK_ROOM.bytes + length, rows: 2 })
  })

  it.each([
    ['storedBytes', { bytes: BLOCK_ROOM.bytes - 1 }, FREE.storedBytes],
    ['storedRows', { rows: 0 }, FREE.storedRows],
  ])('refuses what exceeds %s, and keeps nothing of it', async (budget, left, limit) => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    await leave(caller, left)
    const before = await kept(caller)
    const refused = await call(caller, 'POST', '/api/chain/append', block)
    expect(refused).toMatchObject({
      status: 402,
      body: { error: 'budget_exhausted', details: { budget, limit, tier: 'notes' } },
    })
    expect(await kept(caller)).toEqual(before)
    expect((await caller.client.chain.head()).index).toBe('0')
  })

  it('gives a licensed identity the room of its tier, from the next write on', async () => {
    const caller = await freshCaller()
    await leave(caller, { rows: 0 })
    const block = await nextBlock(caller)
    expect((await call(caller, 'POST', '/api/chain/append', block)).status).toBe(402)
    expect((await redeem(await issued({ tier: 'provenance' }), caller.identity.did)).status).toBe(200)
    expect((await call(caller, 'POST', '/api/chain/append', block)).status).toBe(201)
    await caller.client.chain.append({ payload: payload(100_000), contentType: 'a/b' })
  })

  it('lets twenty devices of one owner race for the last rows, and one win each', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    await leave(caller, { rows: 1 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(caller, 'POST', '/api/chain/append', block)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await kept(caller)).rows).toBe(FREE.storedRows)
  })
})
