/** Which requests are this machine's own, and which sheets each commits to. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KeyFile } from '@svc/client/node'
import { recoveryByWords } from '@svc/client/recovery-words'
import { secretOf } from '@svc/client/text'
import { afterAll, describe, expect, it } from 'vitest'
import { PASSPHRASE } from '../svc.ts'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { copying, deviceOf, keysOn, machineWith, nextKeys, recordsOf, removeMachines, run } from './machines.ts'

const START = 'rotate start --words first.txt'
afterAll(removeMachines)

/** A machine with a device, and with a pending rotation to the key of its one sheet. */
async function rotating() {
  const core = await FakeCore.create()
  const [devices, sheets] = [[await deviceOf(core)], await recordsOf(core, core.sheet)]
  const machine = await machineWith(core, { identity: core.root, devices, sheets })
  writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
  expect(await run(machine, START)).toMatchObject({ code: 4 })
  return { core, machine }
}

/** Somebody with the words asks for the key of the next epoch. */
async function askFor(core: FakeCore, epoch: number): Promise<void> {
  const key = await core.sheet.successor({ scope: core.root.scope, epoch })
  const asked = await recoveryByWords(key, { realm: REALM, now: NOW, sheets: [core.sheet] })
  const [request] = asked.requests
  core.open(request as never, { basis: 'successor' })
}

const activateAtCore = (core: FakeCore) => {
  if (core.record) core.record = { ...core.record, status: 'active', activatedAt: NOW }
}

describe('svc rotate start', () => {
  it('refuses a second request while its own is pending, which would end both', async () => {
    const { core, machine } = await rotating()
    const [pending, sent] = [core.record?.rotationId, core.posts.length]
    const { code, error } = await run(machine, `${START} --new-sheet`, { isTerminal: true })
    expect([code, error]).toEqual([
      5,
      expect.objectContaining({ code: 'rotation_pending', message: expect.stringContaining('on this machine') }),
    ])
    expect([core.record?.rotationId, core.posts.length]).toEqual([pending, sent])
  })

  it('asks whose the rotation of another machine is, which a second one would end', async () => {
    const { core } = await rotating()
    const laptop = await machineWith(core, { identity: core.root, sheets: await recordsOf(core, core.sheet) })
    writeFileSync(join(laptop.home, 'first.txt'), core.sheet.revealWords())
    const sent = core.posts.length
    const { code, error } = await run(laptop, START)
    expect([code, error]).toEqual([
      5,
      expect.objectContaining({ code: 'rotation_pending', next: expect.stringContaining('--dispute') }),
    ])
    expect(core.posts.length).toBe(sent)
    expect(await run(laptop, `${START} --dispute`)).toMatchObject({ code: 4, result: { basis: 'full' } })
  })

  it('sends a request beside that of a thief', async () => {
    const { core, machine } = await rotating()
    await askFor(core, 1)
    expect(await run(machine, START)).toMatchObject({ code: 4, result: { basis: 'full' } })
  })
})

describe('svc rotate activate', () => {
  it.each([
    ['pending', 'svc rotate veto'],
    ['active', 'svc recovery run'],
  ] as const)('names a way that exists if the new root key is elsewhere, and its rotation %s', async (status, way) => {
    const { core } = await rotating()
    const laptop = await machineWith(core, { devices: [await deviceOf(core)] })
    if (core.record) core.record = { ...core.record, status, activatedAt: status === 'active' ? NOW : null }
    const { code, error } = await run(laptop, 'rotate activate')
    expect([code, error]).toEqual([
      7,
      expect.objectContaining({ code: 'key_missing', next: expect.stringContaining(way) }),
    ])
  })

  it.each([
    ['earlier', 1],
    ['later', 2],
  ] as const)('takes the sheets of the %s of two requests to one key, if it takes effect', async (which, sheets) => {
    const { core, machine } = await rotating()
    const earlier = core.record
    if (core.record) core.record = { ...core.record, status: 'frozen' }
    expect(await run(machine, `${START} --new-sheet`, { isTerminal: true, ...copying() })).toMatchObject({ code: 4 })
    if (which === 'earlier') core.record = earlier
    activateAtCore(core)
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0 })
    expect((await keysOn(machine, core))?.sheets).toHaveLength(sheets)
    expect(nextKeys(machine, core)).toEqual([])
  })

  it('asks for the earlier passphrase of a new root key if the keys were imported again with another', async () => {
    const { core, machine } = await rotating()
    const path = join(machine.home, `.local/share/svc/keys/${core.root.did.slice(8)}.json`)
    const again = 'another passphrase for the same keys'
    await new KeyFile(path).save((await keysOn(machine, core)) ?? {}, secretOf(again))
    const { code, stderr } = await machine.svc('rotate activate', { isTerminal: true, answers: [again, PASSPHRASE] })
    expect(code, stderr).toBe(0)
    expect((await new KeyFile(path).load(secretOf(again)))?.identity?.epoch).toBe(1)
  })

  it('takes its active key although somebody has asked for the next one since', async () => {
    const { core, machine } = await rotating()
    activateAtCore(core)
    await askFor(core, 2)
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { status: 'active', epoch: 1 } })
    expect((await keysOn(machine, core))?.identity?.epoch).toBe(1)
    expect(nextKeys(machine, core)).toEqual([])
  })

  it('keeps the key of a later request when it finishes an earlier rotation', async () => {
    const { core, machine } = await rotating()
    core.down.add('/api/inception/device')
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 5 })
    core.down.clear()
    expect(await run(machine, START)).toMatchObject({ code: 4, result: { epoch: 2 } })
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 0, result: { epoch: 1 } })
    expect(nextKeys(machine, core)).toEqual([expect.stringContaining(core.record?.rotationId ?? '')])
  })
})
