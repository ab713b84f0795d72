import { expect, it } from 'vitest'
import { seededRandom } from '../traffic/random.ts'
import { recallUnderAttack } from './poison.ts'

it('attackers hide no more than one in fifty of the texts that they are about', () => {
  const recalls = recallUnderAttack(1_000, seededRandom(3))
  expect(recalls).toHaveLength(6)
  const { queries, without, attacked } = recalls.at(-1) ?? { queries: 0, without: 0, attacked: 0 }
  expect(queries).toBeGreaterThan(30)
  expect(without / queries).toBeGreaterThan(0.95)
  expect((without - attacked) / queries).toBeLessThanOrEqual(0.02)
}, 60_000)
