import { expect, it } from 'vitest'
import { drawCode } from './mail-code.ts'

it('draws six digits, every first digit about equally often', () => {
  const codes = Array.from({ length: 5000 }, drawCode)
  for (const code of codes) expect(code).toMatch(/^[0-9]{6}$/)
  const counts = Map.groupBy(codes, (code) => code[0])
  for (const digit of '0123456789') expect(counts.get(digit)?.length).toBeGreaterThan(350)
  expect(new Set(codes).size).toBeGreaterThan(4900)
})
