import { describe, expect, it, vi } from 'vitest'
import type { Takes } from '../arguments/takes.ts'
import { lazy } from './lazy.ts'
import { once } from './once.ts'

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

const TAKES: Takes<Counter> = { safeNext: 'next', next: ['from'], fail: [], count: ['to'] }

describe('a service that is loaded on use', () => {
  it('is constructed once, by its first call', async () => {
    Counter.made = 0
    const counter = lazy(
      'counter',
      TAKES,
      once(async () => new Counter(2)),
    )
    expect(Counter.made).toBe(0)
    expect(await Promise.all([counter.next(1), counter.next(2), counter.safeNext(3)])).toEqual([3, 4, 'safely 3'])
    expect(Counter.made).toBe(1)
    expect(counter.next).toBe(counter.next)
  })

  it('passes on errors, and the items of an iteration as they come', async () => {
    const counter = lazy(
      'counter',
      TAKES,
      once(async () => new Counter(2)),
    )
    await expect(counter.fail()).rejects.toThrow(new RangeError('no more'))
    const seen: number[] = []
    for await (const item of counter.count(100)) {
      seen.push(item)
      if (item === 4) break
    }
    expect(seen).toEqual([0, 2, 4])
  })

  it('can be awaited, logged, listed and asked for what it has, without being loaded', async () => {
    Counter.made = 0
    const counter = lazy(
      'counter',
      TAKES,
      once(async () => new Counter(2)),
    )
    expect(await Promise.resolve(counter)).toBe(counter)
    expect(JSON.stringify({ counter })).toBe('{"counter":{}}')
    expect(counter.next.name).toBe('next')
    const text: (value: unknown) => string = String
    expect(text(counter)).toBe('[object Object]')
    expect('next' in counter).toBe(true)
    expect('previous' in counter).toBe(false)
    expect(Object.keys(counter)).toEqual(['safeNext', 'next', 'fail', 'count'])
    expect(() => structuredClone(counter)).toThrow(DOMException)
    expect(Counter.made).toBe(0)
  })

  it('takes a function of a test in the place of a method', async () => {
    Counter.made = 0
    const counter = lazy(
      'counter',
      TAKES,
      once(async () => new Counter(2)),
    )
    counter.next = async () => 7
    vi.spyOn(counter, 'fail').mockResolvedValue(undefined as never)
    expect(await counter.next(1)).toBe(7)
    await counter.fail()
    expect(Counter.made).toBe(0)
  })

  it('refuses arguments that the method does not take, also by its twin and as an iteration', async () => {
    const counter = lazy(
      'counter',
      TAKES,
      once(async () => new Counter(2)),
    )
    const loose = counter as unknown as Record<keyof Counter, (...args: unknown[]) => Promise<unknown>>
    await expect(loose.next()).rejects.toThrow('counter.next needs `from`')
    await expect(loose.safeNext()).rejects.toMatchObject({ name: 'ArgumentError', method: 'counter.safeNext' })
    await expect(loose.fail(1)).rejects.toThrow('counter.fail takes no argument')
    const items = loose.count() as unknown as AsyncIterable<number>
    await expect(items[Symbol.asyncIterator]().next()).rejects.toThrow('counter.count needs `to`')
  })

  it('is loaded again after a load that failed', async () => {
    let isOnline = false
    const load = async () => {
      if (!isOnline) throw new TypeError('Failed to fetch dynamically imported module')
      return new Counter(2)
    }
    const counter = lazy('counter', TAKES, once(load))
    await expect(counter.next(1)).rejects.toThrow('Failed to fetch')
    await expect(counter.count(1)[Symbol.asyncIterator]().next()).rejects.toThrow('Failed to fetch')
    isOnline = true
    expect(await counter.next(1)).toBe(3)
  })
})
