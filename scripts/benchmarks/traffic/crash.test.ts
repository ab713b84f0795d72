import { expect, it } from 'vitest'
import { runFaults } from './faults.ts'

const KILLS = 1

it('keeps every acknowledged write and every spent nonce through kill -9 at a random moment of a mixed load', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const { faults, acknowledged, replayed } = await runFaults({ kills: KILLS, seed })
  expect(faults, `reproduce with: scripts/faults --kills ${KILLS} --seed ${seed}`).toEqual([])
  expect(acknowledged).toBeGreaterThan(KILLS)
  expect(replayed).toBeGreaterThan(KILLS)
}, 300_000)
