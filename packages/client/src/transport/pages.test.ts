import { describe, expect, it } from 'vitest'
import { everyItem } from './pages.ts'

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

describe('every item of a list', () => {
  it('is read page by page, each from the cursor of the one before', async () => {
    const asked: (string | undefined)[] = []
    const pages = [
      { items: [1, 2], cursor: 'b' },
      { items: [], cursor: 'c' },
      { items: [3], cursor: null },
    ]
    const all = everyItem(async (cursor) => {
      asked.push(cursor)
      return pages[asked.length - 1]!
    })
    expect(await listOf(all)).toEqual([1, 2, 3])
    expect(asked).toEqual([undefined, 'b', 'c'])
  })

  it('is not read further than the loop goes', async () => {
    let asked = 0
    const all = everyItem(async () => ({ items: [1, 2], cursor: String(++asked) }))
    for await (const item of all) if (item === 2) break
    expect(asked).toBe(1)
  })

  it('ends with an error where the service repeats pages', async () => {
    const circle: Record<string, string> = { b: 'c', c: 'b' }
    const all = everyItem(async (cursor = 'c') => ({ items: [cursor], cursor: circle[cursor]! }))
    await expect(listOf(all)).rejects.toMatchObject({ subject: 'answer', reason: 'repeated' })
  })
})
