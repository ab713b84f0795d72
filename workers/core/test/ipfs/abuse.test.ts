import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FETCHES } from '../../src/ipfs/fetch-limit.ts'
import { CORE, freshAddress, freshCaller, send, sendWith } from '../harness.ts'
import { fileOf, gatewayWith, leafOf, nodeOf, sample, type TestBlock } from './ipfs.fixture.ts'

afterEach(() => vi.unstubAllGlobals())

const cached = async ({ name }: Pick<TestBlock, 'name'>) =>
  (await env.BLOBS.list({ prefix: `ipfs/cache/${name}/` })).objects.length

async function get({ name }: Pick<TestBlock, 'name'>, address: string, fetch = send): Promise<number> {
  const response = await fetch(new Request(`${CORE}/ipfs/${name}`, { headers: { 'cf-connecting-ip': address } }))
  await response.arrayBuffer().catch(() => null)
  return response.status
}

/** Leaves this many fetches of the day: as if the others had just been taken. */
async function leaveFetches(key: string, left: number): Promise<void> {
  const counter = env.COUNTERS.getByName(`${FETCHES.counter} ${key}`)
  await counter.take(FETCHES)
  const [now, until] = [Date.now(), Date.now() + FETCHES.seconds * 1000]
  await runInDurableObject(counter, (_, { storage }) =>
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO marks (mark, at, until) SELECT 'taken ' || i, ?, ? FROM n`,
      FETCHES.limit - left - 1,
      now,
      until,
    ),
  )
}

describe('a tree of one-byte leaves', () => {
  it('is abandoned after a few blocks, and nothing of it is kept', async () => {
    const leaves = await Promise.all(Array.from({ length: 1_000 }, (_, i) => leafOf(String.fromCodePoint(500 + i))))
    const root = await nodeOf(leaves)
    const gateway = gatewayWith(root, ...leaves)
    await get(root, freshAddress())
    expect(gateway.asked.length).toBeLessThan(80)
    expect(await cached(root)).toBe(0)
  })

  it('that declares no bytes at all neither', async () => {
    const empty = await nodeOf([])
    const root = await nodeOf(Array.from({ length: 1_000 }, () => empty))
    const gateway = gatewayWith(root, empty)
    await expect((await freshCaller()).client.account.pin(root.name)).rejects.toMatchObject({ status: 413 })
    expect(gateway.asked.length).toBeLessThan(80)
    expect(await cached(root)).toBe(0)
  })
})

describe('what is fetched from the gateway', () => {
  it('is counted for an address, and what is stored is not', { timeout: 60_000 }, async () => {
    const address = freshAddress()
    const counted = address.split('::')[0]?.split(':').concat('0').slice(0, 4).join(':')
    const [one, other] = [await fileOf(sample(2_500, 501)), await fileOf(sample(2_500, 502))]
    gatewayWith(...one.blocks, ...other.blocks)
    await leaveFetches(`${counted}::/64`, 1)
    expect(await get(one.root, address)).toBe(200)
    expect(await get(one.root, address)).toBe(200)
    expect(await get(other.root, address)).toBe(429)
    expect(await cached(other.root)).toBe(0)
    expect(await get(other.root, freshAddress())).toBe(200)
  })

  it('is counted for who pins, exactly', { timeout: 60_000 }, async () => {
    const caller = await freshCaller()
    const files = await Promise.all(Array.from({ length: 20 }, (_, i) => leafOf(sample(300, 510 + i))))
    gatewayWith(...files)
    await leaveFetches(caller.identity.did, 3)
    const outcomes = await Promise.allSettled(files.map(({ name }) => caller.client.account.pin(name)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('is nothing if it cannot be counted', async () => {
    const leaf = await leafOf(sample(300, 540))
    const gateway = gatewayWith(leaf)
    const broken = {
      getByName: () => ({
        take: async () => {
          throw new Error('down')
        },
      }),
    }
    expect(await get(leaf, freshAddress(), sendWith({ COUNTERS: broken }))).toBe(503)
    expect(gateway.asked).toEqual([])
  })
})
