import type { LogReader, OpenLog } from '@svc/log'
import { mapLine } from '@svc/protocol/keys/account-map'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { describe, expect, it } from 'vitest'
import { firstMapAfter } from './first-map.ts'

const LOG = 'https://core.test/transparency/2027a'
const INDEX = 10
const line = (size: number) => mapLine({ size, root: 'a7'.repeat(48), epoch: 1, at: 1 })

/** A log of updates with maps at some positions, each of all entries before it or of `sizes`; counts what is read. */
function logOf(size: number, maps: readonly number[], sizes: Readonly<Record<number, number>> = {}) {
  const [read, at]: [number[], Set<number>] = [[], new Set(maps)]
  const reader = {
    async entries(_: unknown, bundle: number) {
      read.push(bundle)
      const from = bundle * TILE_WIDTH
      const entries = Array.from({ length: Math.min(TILE_WIDTH, size - from) }, (__, i) =>
        at.has(from + i) ? line(sizes[from + i] ?? from + i) : 'update',
      )
      return { ok: true, value: { from, entries } }
    },
    inclusion: async () => ['proof'],
  } as unknown as LogReader
  const head = { size } as OpenLog['head']
  return { find: () => firstMapAfter(reader, { log: LOG, head }, INDEX), read }
}
const positionOf = async (log: ReturnType<typeof logOf>) => (await log.find())?.position.index ?? null

describe('the first map with a leaf', () => {
  it('is the next one, if it was not begun before the leaf was added', async () => {
    expect(await positionOf(logOf(300, [20, 40]))).toBe(20)
    expect(await positionOf(logOf(300, [9, 20, 40], { 20: INDEX }))).toBe(40)
    expect(await positionOf(logOf(300, [9]))).toBeNull()
  })

  it('is found within the next 4,096 entries, wherever it is', async () => {
    const at = 15 * TILE_WIDTH + 3
    expect(await positionOf(logOf(20 * TILE_WIDTH, [at, at + 1]))).toBe(at)
  })

  it('is another one with the leaf after a time without maps, and few bundles are read', async () => {
    const size = 100_000 * TILE_WIDTH
    const maps = Array.from({ length: 60_000 }, (_, i) => (40_000 + i) * TILE_WIDTH)
    const log = logOf(size, maps)
    expect(await positionOf(log)).toBeGreaterThanOrEqual(40_000 * TILE_WIDTH)
    expect(log.read.length).toBeLessThan(40)
    const none = logOf(size, [])
    expect(await positionOf(none)).toBeNull()
    expect(none.read.length).toBeLessThan(40)
  })

  it('is found in the newest bundle, if that is the only one with a map', async () => {
    const at = 999 * TILE_WIDTH + 7
    expect(await positionOf(logOf(at + 1, [at]))).toBe(at)
  })
})
