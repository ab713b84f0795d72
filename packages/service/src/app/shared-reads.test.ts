import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SharedReads } from './shared-reads.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** Reads that end when the test says so. */
function controlled() {
  const background: Promise<unknown>[] = []
  const reads: { readonly by: number; end: (answer: string) => void; fail: (error: Error) => void }[] = []
  const shared = new SharedReads()
  const ask = (by: number, key = 'k') =>
    shared.ask(
      key,
      () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>()
        reads.push({ by, end: resolve, fail: reject })
        return promise
      },
      (work) => background.push(work),
    )
  return { reads, ask, background }
}
/** Every request that waits has looked again. */
const turn = () => vi.advanceTimersByTimeAsync(5)

describe('reads', () => {
  it('are made at once for one who asks alone, again and again', async () => {
    const { reads, ask } = controlled()
    for (const i of [0, 1, 2]) {
      const asked = ask(i)
      reads[i]?.end(`answer ${i}`)
      expect(await asked).toBe(`answer ${i}`)
      await turn()
    }
    expect(reads.map(({ by }) => by)).toEqual([0, 1, 2])
  })

  it('are shared by all who ask while one runs, which nobody joins', async () => {
    const { reads, ask } = controlled()
    const first = ask(0)
    const others = Array.from({ length: 200 }, (_, i) => ask(i + 1))
    await turn()
    expect(reads).toHaveLength(1)
    reads[0]?.end('before')
    expect(await first).toBe('before')
    await turn()
    const last = ask(201)
    reads[1]?.end('after')
    await turn()
    expect(await Promise.all(others)).toEqual(others.map(() => 'after'))
    await turn()
    reads[2]?.end('last')
    expect(await last).toBe('last')
    expect(reads.map(({ by }) => by)).toEqual([0, 1, 201])
  })

  it('of other keys wait for nothing', async () => {
    const { reads, ask } = controlled()
    const [one, other] = [ask(1, 'a'), ask(2, 'b')]
    expect(reads).toHaveLength(2)
    reads[1]?.end('b')
    reads[0]?.end('a')
    expect([await one, await other]).toEqual(['a', 'b'])
  })

  it('that fail, fail for those who share them and for nobody after', async () => {
    const { reads, ask } = controlled()
    const [first, second, third] = [ask(0), ask(1), ask(2)].map((asked) => asked.catch(({ message }: Error) => message))
    reads[0]?.fail(new Error('first'))
    expect(await first).toBe('first')
    await turn()
    reads[1]?.fail(new Error('second'))
    await turn()
    expect(await Promise.all([second, third])).toEqual(['second', 'second'])
    await turn()
    const later = ask(3)
    reads[2]?.end('well')
    expect(await later).toBe('well')
  })

  it('go on in the background when their request is gone', async () => {
    const { reads, ask, background } = controlled()
    const asked = [ask(0), ask(1)]
    expect(background).toHaveLength(2)
    reads[0]?.end('first')
    await turn()
    reads[1]?.end('second')
    await Promise.all([...background, ...asked])
  })

  it('that are lost hold up nobody for good', async () => {
    const { reads, ask } = controlled()
    void ask(0)
    const second = ask(1)
    const third = ask(2).catch(({ message }: Error) => message)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(reads.map(({ by }) => by)).toEqual([0, 1])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await third).toBe('a shared read was lost')
    reads[1]?.end('late')
    expect(await second).toBe('late')
  })

  it('that are lost with the request that should make them are not waited for any more', async () => {
    const { reads, ask } = controlled()
    void ask(0)
    void ask(1)
    vi.setSystemTime(Date.now() + 10_001)
    const later = ask(2)
    reads[1]?.end('anew')
    expect(await later).toBe('anew')
    expect(reads.map(({ by }) => by)).toEqual([0, 2])
  })
})
