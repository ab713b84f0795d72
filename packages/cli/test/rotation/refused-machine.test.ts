/** Machines whose keys core refuses: they can still send what carries its own signatures. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeySet } from '@svc/client/backup'
import { renewRecovery } from '@svc/client/recovery-words'
import { afterAll, describe, expect, it } from 'vitest'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { deviceOf, machineWith, removeMachines, run } from './machines.ts'

afterAll(removeMachines)

/** A machine with a device that was revoked, an old root key, or nothing. */
async function machineRefused(core: FakeCore, has: 'device' | 'root' | 'nothing') {
  const device = await deviceOf(core)
  core.refused.add(device.deviceId)
  if (has === 'root') core.refused.add(core.root.userId)
  const keys: Record<typeof has, Partial<KeySet> | null> = {
    device: { devices: [device] },
    root: { identity: core.root },
    nothing: null,
  }
  const machine = await machineWith(core, keys[has])
  writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
  return machine
}

/** A request for other sheets, which the root key has signed. */
async function replacing(core: FakeCore) {
  const laptop = await machineWith(core, { identity: core.root })
  expect(await run(laptop, 'rotate start --lost-sheets --sheet-file new.txt')).toMatchObject({ code: 0 })
  return readFileSync(join(laptop.home, 'request.json'), 'utf8')
}

describe('a machine whose keys core refuses', () => {
  it.each([
    ['device', 401, 'unauthorized'],
    ['root', 401, 'unauthorized'],
    ['device', 403, 'capability_required'],
    ['device', 403, 'device_keys_disabled'],
  ] as const)('recovers with words and file, as with a refused %s: %i %s', async (has, status, error) => {
    const core = await FakeCore.create()
    core.refusal = [status, error]
    const machine = await machineRefused(core, has)
    const recovery = await renewRecovery(core.root, { realm: REALM, now: NOW, sheets: [core.sheet] })
    writeFileSync(join(machine.home, 'file.json'), JSON.stringify(recovery))
    const { code, stderr } = await run(machine, 'recovery run first.txt --requests file.json')
    expect(code, stderr).toBe(4)
    expect(core.record).toMatchObject({ status: 'pending', epoch: 1 })
    core.posts.length = 0
    expect(await run(machine, 'recovery run first.txt --requests file.json')).toMatchObject({ code: 4 })
    expect(core.posts).toEqual([])
  })

  it('co-signs a replacement with a revoked device', async () => {
    const core = await FakeCore.create()
    const machine = await machineRefused(core, 'device')
    writeFileSync(join(machine.home, 'request.json'), await replacing(core))
    const { code, stderr } = await run(machine, 'rotate cosign --request request.json')
    expect(code, stderr).toBe(0)
    expect(core.record).toMatchObject({ basis: 'replacement', cosignatures: 1 })
  })

  it.each(['device', 'nothing'] as const)('ends a replacement with words, as with %s', async (has) => {
    const core = await FakeCore.create()
    const machine = await machineRefused(core, has)
    const phone = await machineWith(core, { devices: [await deviceOf(core)] })
    writeFileSync(join(phone.home, 'request.json'), await replacing(core))
    expect(await run(phone, 'rotate cosign --request request.json')).toMatchObject({ code: 0 })
    const { code, stderr } = await run(machine, 'rotate veto --words first.txt')
    expect(code, stderr).toBe(0)
    expect(core.record).toMatchObject({ status: 'frozen', vetoes: [{ statement: { signedBy: 'successor' } }] })
  })
})
