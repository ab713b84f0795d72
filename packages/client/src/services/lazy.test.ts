import { describe, expect, it } from 'vitest'
import { lazy, once } from './lazy.ts'

class Counter {
  static made = 0
  readonly #step: number
  readonly safeNext = (by: number) => Promise.resolve(`safely ${by}`)

  constructor(step: number) {
    Counter.made += 1
    this.#step = step
  }

  async next(from: number): Promise<number> {
    return from + this.#step
  }

  async fail(): Promise<never> {
    throw new RangeError('no more')
  }

  async *count(to: number): AsyncGenerator<number> {
    for (let i = 0; i < to; i += this.#step) yield i
  }
}

describe('a service that is loaded on use', () => {
  it('is constructed once, by its first call', async () => {
    Counter.made = 0
    const counter = lazy(once(async () => new Counter(2)))
    expect(Counter.made).toBe(0)
    expect(await Promise.all([counter.next(1), counter.next(2), counter.safeNext(3)])).toEqual([3, 4, 'safely 3'])
    expect(Counter.made).toBe(1)
    expect(counter.next).toBe(counter.next)
  })

  it('passes on errors, and the items of an iteration as they come', async () => {
    const counter = lazy(once(async () => new Counter(2)))
    await expect(counter.fail()).rejects.toThrow(new RangeError('no more'))
    const seen: number[] = []
    for await (const item of counter.count(100)) {
      seen.push(item)
      if (item === 4) break
    }
    expect(seen).toEqual([0, 2, 4])
  })

  it('can be awaited, and names a method that it lacks', async () => {
    const counter = lazy(once(async () => new Counter(2)))
    expect(await Promise.resolve(counter)).toBe(counter)
    const { previous } = counter as unknown as { previous: () => Promise<void> }
    await expect(previous()).rejects.toThrow(new TypeError('Counter has no method previous'))
  })

  it('is loaded again after a load that failed', async () => {
    let isOnline = false
    const load = async () => {
      if (!isOnline) throw new TypeError('Failed to fetch dynamically imported module')
      return new Counter(2)
    }
    const counter = lazy(once(load))
    await expect(counter.next(1)).rejects.toThrow('Failed to fetch')
    await expect(counter.count(1)[Symbol.asyncIterator]().next()).rejects.toThrow('Failed to fetch')
    isOnline = true
    expect(await counter.next(1)).toBe(3)
  })
})
