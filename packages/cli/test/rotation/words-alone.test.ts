/** Owners with words who lack the recovery file, the root key or the passphrase. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { afterAll, describe, expect, it } from 'vitest'
import { NOBODY, Profiles } from '../../src/settings/profiles.ts'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { deviceOf, machineWith, recordsOf, removeMachines, run } from './machines.ts'

afterAll(removeMachines)

/** A machine with a device, the words in `first.txt`, and the recovery file in `file.json`. */
async function owner() {
  const other = SuccessorSheet.create()
  const core = await FakeCore.create('replaceable', [other])
  const sheets = [core.sheet, other]
  const machine = await machineWith(core, { devices: [await deviceOf(core)], sheets: await recordsOf(core, other) })
  writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
  const recovery = await renewRecovery(core.root, { realm: REALM, now: NOW, sheets })
  writeFileSync(join(machine.home, 'file.json'), JSON.stringify(recovery))
  return { core, machine }
}

describe('words without a recovery file', () => {
  it('ask first, keep the other sheet, and go on with the same request', async () => {
    const { core, machine } = await owner()
    const asked = await machine.svc('recovery run first.txt --passphrase-fd 3')
    expect([asked.code, asked.stderr, core.posts]).toEqual([2, expect.stringContaining('30 days'), []])
    const first = await run(machine, 'recovery run first.txt')
    expect(first, first.stderr).toMatchObject({ code: 4, result: { acts: ['start'] } })
    expect(core.record?.request).toMatchObject({ signatureB64u: null, statement: { epoch: 1 } })
    expect(core.record?.request.statement).toHaveProperty('next.length', 2)
    const { rotationId } = core.record ?? {}
    expect(await run(machine, 'recovery run first.txt')).toMatchObject({ code: 4, result: { acts: [] } })
    expect((await machine.svc('recovery run first.txt --passphrase-fd 3')).code).toBe(4)
    expect(core.record?.rotationId).toBe(rotationId)
  })

  it('need no key of a machine, which is told the identity', async () => {
    const core = await FakeCore.create()
    const machine = await machineWith(core, null)
    const profile = { core: REALM, realm: REALM, origin: null, docs: '', ...NOBODY }
    await new Profiles(join(machine.home, '.config/svc')).write('default', profile)
    writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
    expect(await run(machine, 'recovery run first.txt')).toMatchObject({ code: 7, error: { code: 'no_identity' } })
    const told = await run(machine, `recovery run first.txt --did ${core.root.did} --dry-run`)
    expect(told, told.stderr).toMatchObject({ code: 0, result: { status: { stage: 'ready' } } })
  })

  it('are refused if the identity does not commit to them', async () => {
    const { core, machine } = await owner()
    writeFileSync(join(machine.home, 'wrong.txt'), SuccessorSheet.create().revealWords())
    const { code, error } = await run(machine, 'recovery run wrong.txt')
    expect([code, error?.next, core.posts]).toEqual([2, 'compare the words with the paper, and check the DID', []])
  })
})

it('svc recovery operator takes the recovery file of another place', async () => {
  const { machine } = await owner()
  const { code, stderr } = await run(machine, 'recovery operator --words first.txt --requests file.json')
  expect(code, stderr).toBe(0)
})

it('a lost passphrase leaves words and recovery file, and svc says how', async () => {
  const { core, machine } = await owner()
  const recovers = () =>
    run(machine, 'recovery run first.txt --requests file.json --dry-run', { descriptor: 'another passphrase' })
  const path = join(machine.home, `.local/share/svc/keys/${core.root.did.slice(8)}.json`)
  const { code, error } = await recovers()
  expect([code, error?.message]).toEqual([7, `The passphrase does not open ${path}`])
  renameSync(path, `${path}.old`)
  expect(await recovers()).toMatchObject({ code: 0, result: { status: { stage: 'ready' } } })
})

it('svc status asks for the words of a sheet that this machine does not know, not for a file', async () => {
  const core = await FakeCore.create()
  const machine = await machineWith(core, { identity: core.root })
  const { stdout } = await machine.svc('status --passphrase-fd 3')
  expect(stdout).toContain('Next: svc recovery confirm')
  expect(stdout).not.toContain('svc recovery prepare')
})
