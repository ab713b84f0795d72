/** An owner who forbids that root key and device replace lost sheets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { FakeCore } from './fake-core.ts'
import { keysOn, machineWith, recordsOf, removeMachines, run } from './machines.ts'

afterAll(removeMachines)

async function ownerWhoForbids() {
  const core = await FakeCore.create('fixed')
  const machine = await machineWith(core, { identity: core.root, sheets: await recordsOf(core, core.sheet) })
  writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
  const filed = async () => (await keysOn(machine, core))?.recovery?.requests.map(({ statement }) => statement)
  return { core, machine, filed }
}

it('svc recovery prepare writes requests that still forbid it', async () => {
  const { machine, filed } = await ownerWhoForbids()
  expect(await run(machine, 'recovery prepare')).toMatchObject({ code: 0 })
  expect(await filed()).toMatchObject([{ replaceable: false }, { replaceable: false }])
})

it('svc rotate asks for a root key that still forbids it, and writes a file that does', async () => {
  const { core, machine, filed } = await ownerWhoForbids()
  expect(await run(machine, 'rotate start --words first.txt')).toMatchObject({ code: 4 })
  expect(core.record?.request.statement).toMatchObject({ epoch: 1, replaceable: false })
  expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0 })
  expect(await filed()).toMatchObject([
    { epoch: 2, replaceable: false },
    { epoch: 2, replaceable: false },
  ])
})
