/** `svc rotate activate` and `svc recovery run`, run again after the first run stopped half-way. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completedRecovery } from '@svc/client/functions'
import { printedKey, renewRecovery } from '@svc/client/recovery-words'
import { afterAll, describe, expect, it } from 'vitest'
import type { Machine } from '../svc.ts'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { deviceOf, keysOn, machineWith, nextKeys, recordsOf, removeMachines, run } from './machines.ts'

const ATTEST = '/api/inception/device'
afterAll(removeMachines)

async function rotating() {
  const core = await FakeCore.create()
  const device = await deviceOf(core)
  const machine = await machineWith(core, { identity: core.root, devices: [device] })
  writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
  await run(machine, 'rotate start --words first.txt')
  return { core, machine, device }
}

const isAttested = async (machine: Machine, core: FakeCore) =>
  (await keysOn(machine, core))?.devices.map(({ membership }) => membership?.rootEpoch)

describe('svc rotate activate', () => {
  it('goes on after core could not be reached', async () => {
    const { core, machine } = await rotating()
    core.down.add(ATTEST)
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 5, error: { code: 'not_found' } })
    expect(nextKeys(machine, core)).toHaveLength(1)
    core.down.clear()
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { devices: 1, ended: [] } })
    expect([await isAttested(machine, core), nextKeys(machine, core)]).toEqual([[1], []])
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { status: 'active', devices: 1 } })
  })

  it('takes an attestation whose answer was lost from the log', async () => {
    const { core, machine, device } = await rotating()
    core.losing.add(ATTEST)
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 5, error: { code: 'not_found' } })
    core.losing.clear()
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { devices: 1, ended: [] } })
    expect(core.events.map(({ statement }) => statement.deviceId)).toEqual([device.deviceId, device.deviceId])
  })

  it('never attests a device whose keys are not stored', async () => {
    const { core, machine, device } = await rotating()
    core.revoked.add(device.deviceId)
    core.losing.add(ATTEST)
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 5, error: { code: 'not_found' } })
    core.losing.clear()
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { devices: 1 } })
    const kept = await keysOn(machine, core)
    expect(kept?.devices.map(({ deviceId }) => deviceId)).toEqual([core.events.at(-1)?.statement.deviceId])
    expect(core.events).toHaveLength(2)
  })
})

describe('svc recovery run', () => {
  it.each([
    ['with sheets', 'replaceable'],
    ['without sheets', 'none'],
  ] as const)('%s, finishes its recovery instead of starting the next one', async (_, kind) => {
    const core = await FakeCore.create(kind)
    const { root, sheet } = core
    const [devices, sheets] = [[await deviceOf(core)], kind === 'none' ? [] : await recordsOf(core, sheet)]
    const prepared = await root.prepareRecovery({ realm: REALM, now: NOW })
    const ofSheet = await sheet.successor({ scope: root.scope, epoch: 1 })
    const [recovery, successor, words] =
      kind === 'none'
        ? [prepared.kept, prepared.successor, printedKey(prepared.successor).words.signing]
        : [await renewRecovery(root, { realm: REALM, now: NOW, sheets: [sheet] }), ofSheet, sheet.revealWords()]
    const machine = await machineWith(core, { identity: root, devices, recovery, sheets })
    writeFileSync(join(machine.home, 'words.txt'), words)
    const [request] = (await completedRecovery(recovery, successor)).requests
    core.open(request as never, { basis: kind === 'none' ? 'root' : 'full', status: 'active', activatedAt: NOW })
    core.down.add(ATTEST)
    expect(await run(machine, 'recovery run words.txt')).toMatchObject({ code: 5, error: { code: 'not_found' } })
    core.down.clear()
    core.posts.length = 0
    const { code, result, stderr } = await run(machine, 'recovery run words.txt')
    expect(code, stderr).toBe(0)
    expect(result).toMatchObject({ status: { stage: 'done' }, acts: [], ended: [] })
    expect(core.posts.filter((path) => path.includes('rotation'))).toEqual([])
    expect(await isAttested(machine, core)).toEqual([1])
    expect((await keysOn(machine, core))?.recovery?.epoch ?? null).toBe(kind === 'none' ? null : 2)
  })
})
