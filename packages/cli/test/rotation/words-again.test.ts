/** Words without a recovery file, after an earlier request with words or a change of the root key. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeySet } from '@svc/client/backup'
import { completedRecovery } from '@svc/client/functions'
import { renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { afterAll, describe, expect, it } from 'vitest'
import type { Machine } from '../svc.ts'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { deviceOf, keysOn, machineWith, recordsOf, removeMachines, run } from './machines.ts'

const RUN = 'recovery run first.txt'
afterAll(removeMachines)

function putWords({ home }: Machine, first: SuccessorSheet, second: SuccessorSheet): void {
  writeFileSync(join(home, 'first.txt'), first.revealWords())
  writeFileSync(join(home, 'second.txt'), second.revealWords())
}

/** A machine with a device and the words of both sheets, which has asked for the key of the first. */
async function asked() {
  const second = SuccessorSheet.create()
  const core = await FakeCore.create('replaceable', [second])
  const sheets = await recordsOf(core, core.sheet, second)
  const machine = await machineWith(core, { devices: [await deviceOf(core)], sheets })
  putWords(machine, core.sheet, second)
  expect(await run(machine, RUN)).toMatchObject({ code: 4, result: { acts: ['start'] } })
  return { core, machine, rotationId: core.record?.rotationId }
}

/** A machine whose identity got the key of the second sheet as its root key, on another machine. */
async function replaced(keys: (core: FakeCore) => Promise<Partial<KeySet> | null>) {
  const second = SuccessorSheet.create()
  const core = await FakeCore.create('replaceable', [second])
  const sheets = [core.sheet, second]
  const machine = await machineWith(core, await keys(core))
  putWords(machine, core.sheet, second)
  const kept = await renewRecovery(core.root, { realm: REALM, now: NOW, sheets })
  const [request] = (await completedRecovery(kept, await second.successor({ scope: core.root.scope, epoch: 1 })))
    .requests
  core.open(request as never, { status: 'active', activatedAt: NOW })
  return { core, machine }
}

describe('words alone', () => {
  it('ask again after a key of the identity has ended their request', async () => {
    const { core, machine, rotationId } = await asked()
    if (core.record) core.record = { ...core.record, status: 'frozen', freezes: 1 }
    expect((await machine.svc(`${RUN} --passphrase-fd 3`)).code).toBe(2)
    expect(await run(machine, RUN)).toMatchObject({ code: 4, result: { acts: ['start'], status: { stage: 'opened' } } })
    expect(core.record).toMatchObject({ status: 'pending', basis: 'successor' })
    expect(core.record?.rotationId).not.toBe(rotationId)
  })

  it('of the other sheet do not end the request that is pending', async () => {
    const { core, machine, rotationId } = await asked()
    core.posts.length = 0
    const { code, error } = await run(machine, 'recovery run second.txt')
    expect([code, error?.message]).toEqual([5, expect.stringContaining('with other words')])
    expect([core.posts, core.record?.rotationId]).toEqual([[], rotationId])
  })

  it('recover where the requests that were prepared are void', async () => {
    const prepared = async ({ root, sheet }: FakeCore) =>
      renewRecovery(root, { realm: REALM, now: NOW, sheets: [sheet] })
    const { core, machine } = await replaced(async (of) => ({ identity: of.root, recovery: await prepared(of) }))
    core.refused.add(core.root.userId)
    expect(await run(machine, RUN)).toMatchObject({ code: 4, result: { acts: ['start'] } })
    expect(core.record).toMatchObject({ status: 'pending', basis: 'successor', epoch: 2 })
  })

  it('are named as the way on if the recovery file is an old one', async () => {
    const { core, machine } = await replaced(async () => null)
    const old = await renewRecovery(core.root, { realm: REALM, now: NOW, sheets: [core.sheet] })
    writeFileSync(join(machine.home, 'old.json'), JSON.stringify(old))
    const { code, stdout } = await machine.svc(`${RUN} --requests old.json --yes --passphrase-fd 3`)
    expect([code, stdout]).toEqual([5, expect.stringContaining('leave out --requests')])
    expect(core.posts).toEqual([])
  })

  it('of the root key take it over at once, without a question', async () => {
    const { core, machine } = await replaced(async () => null)
    const { code, stdout, stderr } = await machine.svc('recovery run second.txt --json --passphrase-fd 3')
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: { stage: 'done' }, acts: [] })
    expect((await keysOn(machine, core))?.identity?.epoch).toBe(1)
  })
})
