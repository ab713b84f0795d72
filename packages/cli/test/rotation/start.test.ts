import { afterAll, expect, it } from 'vitest'
import { FakeCore } from './fake-core.ts'
import { machineWith, nextKeys, removeMachines, run } from './machines.ts'

afterAll(removeMachines)

it.each(['--new-sheet', '--words first.txt'])(
  'svc rotate start refuses %s for an identity without sheets',
  async (option) => {
    const core = await FakeCore.create('none')
    const machine = await machineWith(core, { identity: core.root })
    const { code, error } = await run(machine, `rotate start ${option}`)
    expect([code, error?.message]).toEqual([2, 'The identity has no sheets of words'])
    expect([core.posts, nextKeys(machine, core)]).toEqual([[], []])
  },
)
