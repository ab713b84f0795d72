import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../src/context.ts'
import { NOBODY, Profiles } from '../src/settings/profiles.ts'
import { recoveryFileAt } from '../src/sheets/recovery-file.ts'
import { newMachine } from './svc.ts'

const realm = 'https://core.example'
const [root, sheet] = [await Identity.create(), SuccessorSheet.create()]
const recoveryOf = (by = root, ...sheets: SuccessorSheet[]) => renewRecovery(by, { realm, sheets: [sheet, ...sheets] })
const kept = await recoveryOf()

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recovery-'))
  file = join(folder, 'recovery', 'file.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const context = {
  output: { warn: () => {} },
  readJson: async (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown,
} as unknown as Context

describe('the recovery file', () => {
  it('is written, and reused by a second run of the same command', async () => {
    expect(await recoveryFileAt(context, file, kept)).toEqual(kept)
    const again = await recoveryOf()
    expect(again).not.toEqual(kept)
    expect(await recoveryFileAt(context, file, again)).toEqual(kept)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(kept)
  })

  it('is not taken from a different file at the path', async () => {
    await recoveryFileAt(context, file, kept)
    const successor = await sheet.successor({ scope: root.scope, epoch: 1 })
    const others = [await recoveryOf(await Identity.create()), await recoveryOf(successor)]
    for (const other of [...others, await recoveryOf(root, SuccessorSheet.create())])
      await expect(recoveryFileAt(context, file, other)).rejects.toThrow('already exists')
    writeFileSync(file, 'somebody else’s')
    await expect(recoveryFileAt(context, file, kept)).rejects.toThrow('already exists')
    expect(readFileSync(file, 'utf8')).toBe('somebody else’s')
  })
})

describe('svc id new', () => {
  it('refuses an existing recovery file before it creates anything', async () => {
    const machine = newMachine({ descriptor: 'correct horse battery staple' })
    const profile = { core: realm, realm, origin: null, docs: '', ...NOBODY }
    await new Profiles(join(machine.home, '.config/svc')).write('default', profile)
    writeFileSync(join(machine.home, 'mine.json'), 'mine')
    const { code, stderr } = await machine.svc('id new --recovery mine.json --passphrase-fd 3')
    expect([code, stderr]).toEqual([2, expect.stringContaining('mine.json already exists')])
    expect(stderr).toContain('--recovery')
    expect(readdirSync(machine.home).toSorted()).toEqual(['.config', 'mine.json'])
    machine.remove()
  })
})
