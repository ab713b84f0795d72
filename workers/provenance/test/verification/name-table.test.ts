import { expect, it } from 'vitest'
import { NameTable, wordsOf } from '../../src/verification/name-table.ts'

/** Names that differ in one word alone, whichever it is, and so begin or end alike. */
const names = (from: number, to: number) => {
  const words = new Uint32Array((to - from) * 4)
  for (let n = from; n < to; n++) words[(n - from) * 4 + (n % 4)] = Math.floor(n / 4) + 1
  return words
}

it('has each name once, in the order in which they came, however many there are', () => {
  const table = new NameTable()
  const all = names(0, 50_000)
  for (let i = 0; i < 50_000; i++) if (!table.add(all, i)) expect.fail(`name ${i} was there`)
  for (let i = 0; i < 50_000; i++) if (!table.has(all, i) || table.add(all, i)) expect.fail(`name ${i} is not there`)
  const others = names(50_000, 100_000)
  for (let i = 0; i < 50_000; i++) if (table.has(others, i)) expect.fail(`name ${i} is there`)
  expect(table.size).toBe(50_000)
  expect(table.bytes).toEqual(new Uint8Array(all.buffer))
})

it('forgets the oldest and nothing else', () => {
  const table = new NameTable()
  const all = names(0, 10_000)
  table.addAll(all)
  table.dropOldest(4_000)
  expect(table.size).toBe(6_000)
  expect(table.bytes).toEqual(new Uint8Array(all.buffer).subarray(4_000 * 16))
  expect(Array.from({ length: 10_000 }, (_, i) => table.has(all, i)).indexOf(true)).toBe(4_000)
  expect(Array.from({ length: 6_000 }, (_, i) => table.has(all, 4_000 + i))).not.toContain(false)
  expect(table.add(all, 0)).toBe(true)
  expect(table.add(all, 4_000)).toBe(false)
  table.dropOldest(table.size)
  expect(table.bytes).toEqual(new Uint8Array())
  expect(table.has(all, 0)).toBe(false)
})

it('does what a set of strings does', () => {
  const table = new NameTable()
  let order: string[] = []
  for (let round = 0; round < 200; round++) {
    const some = crypto.getRandomValues(new Uint8Array(16 * 50))
    // Half of them are among a few thousand, so that many come again.
    for (let i = 0; i < 25; i++) some.fill(0, i * 16, i * 16 + 14).set([(some[i * 16 + 14] ?? 0) & 15], i * 16 + 14)
    const words = wordsOf(some)
    for (let i = 0; i < 50; i++) {
      const name = some.subarray(i * 16, (i + 1) * 16).toString()
      expect(table.has(words, i)).toBe(order.includes(name))
      expect(table.add(words, i)).toBe(!order.includes(name))
      if (!order.includes(name)) order.push(name)
    }
    if (round % 20 === 19) {
      table.dropOldest(300)
      order = order.slice(300)
    }
  }
  expect(table.size).toBe(order.length)
  expect(table.bytes.toString()).toBe(order.join())
})

it('takes words from bytes that begin anywhere', () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, i) => i)
  expect(new Uint8Array(wordsOf(bytes.subarray(3, 19)).buffer)).toEqual(bytes.subarray(3, 19))
  expect(new Uint8Array(wordsOf(bytes.slice(3, 19).buffer).buffer)).toEqual(bytes.subarray(3, 19))
})
