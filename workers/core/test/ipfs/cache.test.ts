import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepCache } from '../../src/ipfs/block-cache.ts'
import { sweepAt } from './ipfs.fixture.ts'

const WEEK = 7 * 24 * 3_600_000
const keys = async () => (await env.BLOBS.list()).objects.map(({ key }) => key)

beforeEach(async () => {
  await env.BLOBS.delete(await keys())
  for (const key of ['ipfs/cache/a/a', 'ipfs/cache/b/b', 'ipfs/pin/a/1/a', 'chain/did/hash']) {
    await env.BLOBS.put(key, new Uint8Array(1_000))
  }
})

describe('the hourly sweep', () => {
  it('keeps recent blocks', async () => {
    await sweepAt(Date.now() + WEEK - 60_000)
    expect(await keys()).toHaveLength(4)
  })

  it('deletes cached blocks after a week, but no pins or other objects', async () => {
    await sweepAt(Date.now() + WEEK + 60_000)
    expect(await keys()).toEqual(['chain/did/hash', 'ipfs/pin/a/1/a'])
  })

  it('keeps the cache within its size limit', async () => {
    const limits = { bytes: 1_500, blocks: 10 }
    expect(await sweepCache(env.BLOBS, Date.now(), limits)).toBe(1)
    expect((await keys()).filter((key) => key.startsWith('ipfs/cache/'))).toHaveLength(1)
    expect(await sweepCache(env.BLOBS, Date.now(), limits)).toBe(0)
  })

  it('comes to every block of a cache that is larger than one sweep', async () => {
    const uploaded = new Date()
    const cached = new Set(Array.from({ length: 260_000 }, (_, i) => `ipfs/cache/a/${String(i).padStart(6, '0')}`))
    const last = 'ipfs/cache/a/259999'
    let pages = 0
    const large = {
      list: async ({ cursor = '' }: R2ListOptions) => {
        pages += 1
        const page: string[] = []
        for (const key of cached) if (key > cursor && page.length < 1_000) page.push(key)
        const objects = page.map((key) => ({ key, size: 1, uploaded }))
        return { objects, truncated: page.at(-1) !== last && page.length > 0, cursor: page.at(-1) }
      },
      delete: async (gone: string[]) => {
        for (const key of gone) cached.delete(key)
      },
    } as unknown as R2Bucket
    for (let run = 1; run <= 5; run += 1) {
      pages = 0
      await sweepCache(large, Date.now())
      expect(pages).toBeLessThanOrEqual(100)
    }
    expect(cached.size).toBe(50_000)
    expect(cached.has(last)).toBe(true)
  })

  it('goes through every page of a large cache', async () => {
    const listed: (string | undefined)[] = []
    const paged = {
      list: async ({ cursor }: R2ListOptions) => {
        listed.push(cursor)
        const rest = await env.BLOBS.list({ prefix: 'ipfs/cache/', limit: 1, ...(cursor ? { cursor } : {}) })
        return rest
      },
      delete: (gone: string[]) => env.BLOBS.delete(gone),
    } as unknown as R2Bucket
    expect(await sweepCache(paged, Date.now() + 2 * WEEK)).toBe(2)
    expect(listed.length).toBeGreaterThan(1)
  })

  it('logs no keys when the store is down', async () => {
    const down = { list: vi.fn(() => Promise.reject(new Error('R2 is down'))) } as unknown as R2Bucket
    await expect(sweepCache(down, Date.now())).rejects.toThrow('blocks is unavailable')
  })
})
