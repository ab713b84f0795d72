import { expect, it } from 'vitest'
import { batchAnswer } from './batch-answer.ts'

const missOf = (hash: string) => ({ found: false, hash, source: 'default' }) as const

it.each([0, 1, 249, 250, 251, 500, 1_001])('streams %i results in order', async (count) => {
  const hashes = Array.from({ length: count }, (_, i) => `item "${i}" \\ é 😀 of a batch`)
  const answer = batchAnswer(hashes, missOf)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(await answer.json()).toEqual({ results: hashes.map(missOf) })
})

it('makes no more of the answer than the caller takes', async () => {
  let made = 0
  const count = (hash: string) => {
    made += 1
    return missOf(hash)
  }
  const reader = batchAnswer(Array<string>(10_000).fill('x'.repeat(16)), count).body?.getReader()
  await reader?.read()
  expect(made).toBeLessThanOrEqual(500)
  await reader?.cancel()
  expect(made).toBeLessThanOrEqual(500)
})
