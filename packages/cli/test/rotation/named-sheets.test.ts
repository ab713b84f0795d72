/** The sheets of words that `svc` signs for: all that the identity commits to, and no others. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KeptRecovery } from '@svc/client'
import { completedRecovery, keptKeys } from '@svc/client/functions'
import {
  commitmentOf,
  type RenewOptions,
  renewRecovery,
  type SheetRecord,
  SuccessorSheet,
} from '@svc/client/recovery-words'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Machine } from '../svc.ts'
import { NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { keysOn, machineWith, recordsOf, removeMachines, run } from './machines.ts'

const other = SuccessorSheet.create()
const RUN = 'recovery run first.txt --requests file.json'

afterAll(removeMachines)

const text = (machine: Machine, words: string) => machine.svc(`${words} --yes --passphrase-fd 3`)

const rootWith = (core: FakeCore, ...sheets: readonly SheetRecord[]) =>
  machineWith(core, { identity: core.root, sheets: [...sheets] })

const putWords = ({ home }: Machine, sheet: SuccessorSheet, name = 'first.txt') =>
  writeFileSync(join(home, name), sheet.revealWords())

const fileAt = (path: unknown) => JSON.parse(readFileSync(String(path), 'utf8')) as KeptRecovery

const namedBy = async ({ root }: FakeCore, sheets: readonly SuccessorSheet[], epoch: number) =>
  (await commitmentOf(sheets, { scope: root.scope, epoch })).next.toSorted()

/** Lets the first sheet become the root key, and puts what a recovery needs on a machine. */
async function recoverable(
  core: FakeCore,
  machine: Machine,
  sheets: Pick<RenewOptions, 'sheets' | 'following'>,
): Promise<void> {
  const kept = await renewRecovery(core.root, { realm: REALM, now: NOW, version: 2, ...sheets })
  putWords(machine, core.sheet)
  writeFileSync(join(machine.home, 'file.json'), JSON.stringify(kept))
  const { scope } = core.root
  const [request] = (await completedRecovery(kept, await core.sheet.successor({ scope, epoch: 1 }))).requests
  core.open(request as never, { status: 'active', activatedAt: NOW })
}

describe('svc recovery prepare', () => {
  it('writes no file that would end a sheet', async () => {
    const core = await FakeCore.create('replaceable', [other])
    for (const sheets of [[], [core.sheet], [core.sheet, SuccessorSheet.create()]]) {
      const machine = await rootWith(core, ...(await recordsOf(core, ...sheets)))
      const { code, error } = await run(machine, 'recovery prepare')
      expect([code, error?.next]).toEqual([2, 'svc recovery confirm, for each sheet'])
    }
  })

  it('leaves out a sheet that was replaced, and forgets it', async () => {
    const core = await FakeCore.create()
    const records = await recordsOf(core, SuccessorSheet.create(), core.sheet)
    const machine = await rootWith(core, ...records)
    const { result, stderr } = await run(machine, 'recovery prepare')
    const [request] = fileAt(result?.['recovery']).requests
    expect(request?.statement.next, stderr).toEqual(await namedBy(core, [core.sheet], 2))
    expect((await keysOn(machine, core))?.sheets).toEqual(records.slice(1))
  })

  it('never overwrites a recovery key', async () => {
    const core = await FakeCore.create('none')
    const machine = await rootWith(core)
    const { code, result, stderr } = await run(machine, 'recovery prepare')
    expect(code, stderr).toBe(0)
    const path = String(result?.['recovery'])
    const [key, keys] = [readFileSync(path, 'utf8'), await keysOn(machine, core)]
    const again = await run(machine, 'recovery prepare')
    expect([again.code, again.error?.message]).toEqual([2, expect.stringContaining('already exists')])
    expect(readFileSync(path, 'utf8')).toBe(key)
    expect((await keysOn(machine, core))?.recovery).toEqual(keys?.recovery)
  })

  it('asks before a second recovery key makes the first one useless', async () => {
    const core = await FakeCore.create('none')
    const machine = await rootWith(core)
    expect((await run(machine, 'recovery prepare')).code).toBe(0)
    const { recovery } = (await keysOn(machine, core)) ?? {}
    const { code, stderr } = await machine.svc('recovery prepare --out second.json --passphrase-fd 3')
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass --yes')])
    expect((await keysOn(machine, core))?.recovery).toEqual(recovery)
    expect((await run(machine, 'recovery prepare --out second.json')).code).toBe(0)
    expect((await keysOn(machine, core))?.recovery).not.toEqual(recovery)
  })

  it('writes no file for a root key that was replaced', async () => {
    const core = await FakeCore.create()
    const machine = await rootWith(core, ...(await recordsOf(core, core.sheet)))
    await recoverable(core, machine, { sheets: [core.sheet] })
    const { code, error } = await run(machine, 'recovery prepare')
    expect([code, error?.code]).toEqual([7, 'key_superseded'])
  })
})

describe('svc rotate start', () => {
  it('counts only the sheets that the identity commits to', async () => {
    const core = await FakeCore.create('replaceable', [other])
    const machine = await rootWith(core, ...(await recordsOf(core, core.sheet, SuccessorSheet.create())))
    putWords(machine, core.sheet)
    const { code, error } = await run(machine, 'rotate start --words first.txt')
    expect([code, error?.next]).toEqual([2, expect.stringContaining('svc recovery confirm')])
    expect(core.posts).toEqual([])
  })

  it('asks for no root key that the identity has not committed to', async () => {
    const core = await FakeCore.create()
    const machine = await rootWith(core, ...(await recordsOf(core, core.sheet)))
    putWords(machine, other)
    const { code, error } = await run(machine, 'rotate start --words first.txt')
    expect([code, error?.next]).toEqual([2, expect.stringContaining('compare the words')])
    expect(core.posts).toEqual([])
  })
})

describe('svc rotate activate', () => {
  it('asks for the words of a sheet whose keys are used up, and keeps the new root key', async () => {
    const core = await FakeCore.create('replaceable', [other])
    const records = await recordsOf(core, core.sheet, other)
    const short = records.map((record) => ({ ...record, publicKeysB64u: record.publicKeysB64u.slice(0, 2) }))
    const machine = await rootWith(core, ...short)
    putWords(machine, core.sheet)
    putWords(machine, other, 'second.txt')
    await run(machine, 'rotate start --words first.txt')
    const { code, stdout, stderr } = await text(machine, 'rotate activate')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('svc recovery confirm')
    await run(machine, 'recovery confirm second.txt')
    const { result } = await run(machine, 'recovery prepare')
    const kept = fileAt(result?.['recovery'])
    expect(kept.requests[0]?.statement.next.toSorted()).toEqual(await namedBy(core, [core.sheet, other], 3))
  })

  it('keeps a record that was made again from the words in the meantime', async () => {
    const core = await FakeCore.create('replaceable', [other])
    const records = await recordsOf(core, core.sheet, other)
    const machine = await rootWith(core, ...records.map((record) => ({ ...record, confirmedAt: null })))
    putWords(machine, core.sheet)
    putWords(machine, other, 'second.txt')
    await run(machine, 'rotate start --words first.txt')
    await run(machine, 'recovery confirm second.txt')
    await run(machine, 'rotate activate')
    const sheets = (await keysOn(machine, core))?.sheets
    expect(sheets?.map(({ confirmedAt }) => confirmedAt)).toEqual([NOW, NOW])
  })
})

describe('svc recovery run on a new machine', () => {
  let core: FakeCore
  let machine: Machine
  let printed = ''
  beforeAll(async () => {
    core = await FakeCore.create('replaceable', [other])
    machine = await machineWith(core, null)
    await recoverable(core, machine, { sheets: [core.sheet, other] })
    putWords(machine, other, 'second.txt')
    const { stdout } = await text(machine, RUN)
    printed = stdout
  })

  it('records the sheet whose words were typed', async () => {
    const sheets = (await keysOn(machine, core))?.sheets
    expect(sheets?.map(({ confirmedAt }) => confirmedAt)).toEqual([NOW])
  })

  it('asks for the other sheet before the registration, which publishes the readers', () => {
    const steps = [...printed.matchAll(/svc (recovery confirm|recovery prepare|did register|id backup)/g)]
    expect(steps.map(([, step]) => step)).toEqual(['recovery confirm', 'recovery prepare', 'did register', 'id backup'])
  })

  it('leaves the recovery file to svc recovery prepare, which needs all sheets', async () => {
    expect((await keysOn(machine, core))?.recovery).toBeNull()
    expect(await run(machine, 'recovery prepare')).toMatchObject({ code: 2 })
    expect(await run(machine, 'recovery confirm second.txt')).toMatchObject({ code: 0, result: { sheet: 2 } })
    expect(await run(machine, 'recovery prepare')).toMatchObject({ code: 0 })
  })

  it('writes the file at once if the identity has no other sheet', async () => {
    const single = await FakeCore.create()
    const alone = await machineWith(single, null)
    await recoverable(single, alone, { sheets: [single.sheet] })
    const { code, stdout, stderr } = await text(alone, RUN)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('Next: svc did register')
    const folder = join(alone.home, '.local/share/svc/recovery')
    expect(readdirSync(folder)).toEqual([expect.stringContaining('-epoch-2.json')])
  })
})

describe('a recovery that replaces a lost sheet', () => {
  it('writes a file with the sheets that the new root key commits to', async () => {
    const core = await FakeCore.create('replaceable', [other])
    const fresh = SuccessorSheet.create()
    // The other sheet is lost.
    const machine = await rootWith(core, ...(await recordsOf(core, core.sheet, other)))
    await recoverable(core, machine, { sheets: [core.sheet], following: [core.sheet, fresh] })
    putWords(machine, fresh, 'fresh.txt')
    expect(await run(machine, RUN)).toMatchObject({ code: 0 })
    expect((await keysOn(machine, core))?.recovery).toBeNull()
    await run(machine, 'recovery confirm fresh.txt')
    const { result } = await run(machine, 'recovery prepare')
    expect(dirname(String(result?.['recovery']))).toContain(machine.home)
    const keys = [core.sheet, fresh].map((sheet) => sheet.successor({ scope: core.root.scope, epoch: 2 }))
    const named = (await Promise.all(keys)).map(({ publicKeyB64u }) => publicKeyB64u)
    expect(keptKeys(fileAt(result?.['recovery'])).toSorted()).toEqual(named.toSorted())
  })
})
