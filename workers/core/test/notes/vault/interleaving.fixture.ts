/** Runs tasks in an order determined by a seed: each stops at its gates, and one gate is opened at a time. */
import { vi } from 'vitest'
import { storeMethods } from '../vault.fixture.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests take their long form. */
    isLong: boolean
  }
}

/** A whole number from 0, below a bound. */
export type Random = (bound: number) => number

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

interface Gate {
  readonly open: () => void
  readonly break: () => void
}

export class Gates {
  readonly #random: Random
  readonly #waiting: Gate[] = []
  #running = 0
  #isDriven = false
  #idle: () => void = () => {}

  constructor(random: Random) {
    this.#random = random
  }

  /** Where a task stops until it is its turn. One in twelve dies there. */
  readonly pass = (): Promise<void> => {
    if (!this.#isDriven) return Promise.resolve()
    const passed = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ open: resolve, break: () => reject(new Error('dies here')) })
    })
    this.#stop()
    return passed
  }

  async drive(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
    this.#isDriven = true
    this.#running = tasks.length
    const done = Promise.all(tasks.map((task) => task().finally(() => this.#stop())))
    for (;;) {
      if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
      const [gate] = this.#waiting.splice(this.#random(this.#waiting.length || 1), 1)
      if (!gate) break
      this.#running += 1
      if (this.#random(12) === 0) gate.break()
      else gate.open()
    }
    this.#isDriven = false
    await done
  }

  /** Gates around the store, for Workers and objects alike, whose objects are as old as the clock of the test says. */
  guardStore(): void {
    const { pass } = this
    const uploaded = new Map<unknown, Date>()
    const { put, delete: remove, list } = storeMethods()
    vi.spyOn(storeMethods(), 'put').mockImplementation(async function (this: R2Bucket, key, value) {
      await pass()
      const object = await put.call(this, key, value)
      uploaded.set(key, new Date())
      await pass()
      return object
    })
    vi.spyOn(storeMethods(), 'delete').mockImplementation(async function (this: R2Bucket, keys) {
      await pass()
      await remove.call(this, keys)
      await pass()
    })
    vi.spyOn(storeMethods(), 'list').mockImplementation(async function (this: R2Bucket, options) {
      await pass()
      const page = (await list.call(this, options)) as R2Objects
      await pass()
      const objects = page.objects.map((object) => {
        const { key, size } = object
        return { key, size, uploaded: uploaded.get(key) ?? object.uploaded }
      })
      return { ...page, objects }
    })
  }

  #stop(): void {
    this.#running -= 1
    if (this.#running === 0) this.#idle()
  }
}
