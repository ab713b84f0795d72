import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../root.ts'
import { PLATFORM_LIMITS, usedOf, valueIn } from './platform-limits.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

it.each(PLATFORM_LIMITS)('$what are enough for $by', (limit) => {
  expect(usedOf(limit, read)).toBeLessThanOrEqual(limit.allowed)
})

it('finds a constant that is over', () => {
  const [limit] = PLATFORM_LIMITS
  if (!limit) throw new Error('no limits')
  const raised = (file: string) => read(file).replace('MAX_GENERATIONS = 8', 'MAX_GENERATIONS = 11')
  expect(usedOf(limit, raised)).toBeGreaterThan(limit.allowed)
  expect(() => usedOf(limit, () => '')).toThrow('has no constant MAX_QUERY_VECTORS')
})

it.each([
  ['const A = 1_000', 1_000],
  ['export const A = 64 * 1024', 65_536],
  ['const A = 2 ** 20 * 4', 4_194_304],
  ['const A = B + 1', null],
  ['  const A = 1', null],
])('reads %s as %s', (text, value) => {
  expect(valueIn(`// first\n${text}\n`, 'A')).toBe(value)
})
