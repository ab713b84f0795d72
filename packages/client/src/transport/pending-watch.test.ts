import { describe, expect, it } from 'vitest'
import type { PendingChange } from '#protocol/chain/pending'
import type { StandingChange } from '#protocol/chain/watch'
import { PendingWatch } from './pending-watch.ts'

const change = (changes: Partial<StandingChange> = {}): StandingChange => ({
  kind: 'device_added',
  deviceId: 'phone',
  cosigns: true,
  at: 1,
  countsAt: 2,
  countsUntil: null,
  ...changes,
})

async function toldOf(...answers: (readonly StandingChange[])[]) {
  const told: (PendingChange | StandingChange)[] = []
  const watch = new PendingWatch((one) => void told.push(one))
  for (const changes of answers) watch.seeChanges(changes)
  await Promise.resolve()
  return { told, watch }
}

describe('changes of devices', () => {
  it('are reported once each, and again if they happen again', async () => {
    const [added, lost, again] = [change(), change({ kind: 'device_lost', at: 5 }), change({ at: 9 })]
    const { told, watch } = await toldOf([added], [added, lost], [], [added, lost], [lost, again])
    expect(told).toEqual([added, lost, again])
    expect(watch.changes).toEqual([lost, again])
  })

  it('are remembered up to a limit', async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => change({ at }))
    const { told } = await toldOf(many, many.slice(1))
    expect(told).toHaveLength(1_001)
  })
})
