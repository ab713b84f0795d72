/** Sheets whose words are all lost, replaced with `svc rotate` by root key and device. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@svc/client'
import { userIdOfKey } from '@svc/client/functions'
import { KeyFile } from '@svc/client/node'
import { commitmentOf, type SheetRecord, SuccessorSheet } from '@svc/client/recovery-words'
import { secretOf } from '@svc/client/text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Machine, PASSPHRASE } from '../svc.ts'
import { DAY_MS, NOW, REALM } from './deployment.ts'
import { FakeCore } from './fake-core.ts'
import { deviceOf, machineWith, nextKeys, removeMachines, run } from './machines.ts'

const START = 'rotate start --lost-sheets --sheet-file new.txt'
afterAll(removeMachines)

const rootMachine = (core: FakeCore) => machineWith(core, { identity: core.root })
const text = (machine: Machine, words: string) => machine.svc(`${words} --yes --passphrase-fd 3`)

interface RequestFile {
  readonly statement: {
    readonly newPublicKeyB64u: string
    readonly version: number
    readonly epoch: number
    readonly next: readonly string[]
    readonly replaceable: boolean
    nonce: string
  }
}
const requestIn = ({ home }: Machine, name = 'request.json') =>
  JSON.parse(readFileSync(join(home, name), 'utf8')) as RequestFile

describe('svc rotate start --lost-sheets', () => {
  it('writes a request to a new root key and new sheets, and sends nothing', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    const { code, result, stderr } = await run(machine, START)
    expect(code, stderr).toBe(0)
    const { statement } = requestIn(machine)
    const newUserId = userIdOfKey(statement.newPublicKeyB64u)
    expect(statement).toMatchObject({ version: 2, epoch: 1, replaceable: true })
    expect(result).toMatchObject({ status: 'unsent', basis: 'replacement', deadline: null, epoch: 1, newUserId })
    const fresh = SuccessorSheet.fromWords(readFileSync(join(machine.home, 'new.txt'), 'utf8'))
    expect(statement.next).toEqual((await commitmentOf([fresh], { scope: core.root.scope, epoch: 2 })).next)
    const kept = await new KeyFile(String(result?.['keys'])).load(secretOf(PASSPHRASE))
    expect(kept?.identity?.userId).toBe(newUserId)
    expect(kept?.sheets).toMatchObject([{ firstEpoch: 2, confirmedAt: null }] satisfies Partial<SheetRecord>[])
    expect(core.posts).toEqual([])
  })

  it('keeps the new key before the request leaves the machine', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    const { code } = await run(machine, `${START} --out missing/request.json`)
    expect(code).toBe(2)
    expect(nextKeys(machine, core)).toHaveLength(1)
  })

  it('keeps the key of an earlier request, which may still take effect', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    const first = await run(machine, START)
    const second = await run(machine, 'rotate start --lost-sheets --sheet-file newer.txt --out second.json')
    expect([first.code, second.code]).toEqual([0, 0])
    const files = [first, second].map(({ result }) => String(result?.['keys']))
    expect(nextKeys(machine, core).toSorted()).toEqual(files.toSorted())
  })

  it('never writes over a file', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    writeFileSync(join(machine.home, 'request.json'), 'mine')
    const { code, error } = await run(machine, START)
    expect([code, error?.message]).toEqual([2, expect.stringContaining('request.json already exists')])
    expect(readFileSync(join(machine.home, 'request.json'), 'utf8')).toBe('mine')
    expect(readdirSync(machine.home)).not.toContain('new.txt')
  })

  it.each([
    ['none', 2, 'usage', 'svc rotate start'],
    ['fixed', 5, 'not_replaceable', 'svc rotate start --words FILE'],
  ] as const)('refuses an identity whose commitment is %s, with the way out', async (kind, exitCode, name, next) => {
    const core = await FakeCore.create(kind)
    const machine = await rootMachine(core)
    const { code, error } = await run(machine, START)
    expect([code, error]).toEqual([
      exitCode,
      expect.objectContaining({ code: name, next: expect.stringContaining(next) }),
    ])
    expect(nextKeys(machine, core)).toEqual([])
  })

  it.each([
    ['rotate start --lost-sheets', '--sheet-file'],
    [`${START} --words first.txt`, '--lost-sheets'],
    [`${START} --version 1`, '--version'],
    ['rotate start --out request.json', '--lost-sheets'],
  ])('refuses %s', async (words, next) => {
    const machine = await rootMachine(await FakeCore.create())
    const { code, error } = await run(machine, words)
    expect([code, error?.next]).toEqual([2, expect.stringContaining(next)])
    expect(readdirSync(machine.home)).not.toContain('request.json')
  })

  it('only says what it would do with --dry-run', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    expect(await run(machine, `${START} --dry-run`)).toMatchObject({ code: 0, result: { dryRun: true, epoch: 1 } })
    expect(readdirSync(machine.home)).not.toContain('request.json')
    expect(nextKeys(machine, core)).toEqual([])
  })
})

describe('a request for other sheets', () => {
  let core: FakeCore
  let atRoot: Machine
  let phone: Machine
  let pending: FakeCore['record'] = null
  beforeAll(async () => {
    core = await FakeCore.create()
    atRoot = await rootMachine(core)
    phone = await machineWith(core, { devices: [await deviceOf(core)] })
    await run(atRoot, START)
    writeFileSync(join(phone.home, 'request.json'), JSON.stringify(requestIn(atRoot)))
    writeFileSync(join(phone.home, 'first.txt'), core.sheet.revealWords())
  })

  it('is not sent if the root key did not sign it, or for another identity', async () => {
    const changed = requestIn(atRoot)
    changed.statement.nonce = 'n_000000000000-1'
    const other = await FakeCore.create()
    const theirs = await rootMachine(other)
    await run(theirs, START)
    for (const [name, content] of Object.entries({ changed, other: requestIn(theirs), empty: {} }))
      writeFileSync(join(phone.home, `${name}.json`), JSON.stringify(content))
    const failures = []
    for (const name of ['changed', 'other', 'empty'])
      failures.push((await run(phone, `rotate cosign --request ${name}.json`)).error?.code)
    expect(failures).toEqual(['invalid_signature', 'usage', 'usage'])
    expect(core.posts).toEqual([])
  })

  it('is shown before a device sends it', async () => {
    const { code, stdout } = await text(phone, 'rotate cosign --request request.json --dry-run')
    expect([code, core.posts]).toEqual([0, []])
    expect(stdout).toContain(`new key   ${userIdOfKey(requestIn(atRoot).statement.newPublicKeyB64u)}`)
    expect(stdout).toContain('in 30 days')
    expect(stdout).toContain('the words of any sheet can end it')
  })

  it('is sent with the co-signature of a device, in one act', async () => {
    const { code, result, stderr } = await run(phone, 'rotate cosign --request request.json')
    expect(code, stderr).toBe(0)
    expect(result).toMatchObject({
      status: 'pending',
      basis: 'replacement',
      cosignatures: 1,
      deadline: NOW + 30 * DAY_MS,
    })
    expect(core.posts).toEqual(['/api/genesis/init', '/api/chain/rotation/cosign'])
    pending = core.record
  })

  it('is shown as a replacement, with who can end it and what comes next', async () => {
    const { code, stdout } = await text(atRoot, 'rotate status')
    expect(code).toBe(4)
    for (const part of ['the words of any sheet can end it', 'svc rotate activate', 'svc rotate veto --words FILE'])
      expect(stdout).toContain(part)
  })

  it('does not become the root key for svc before the log proves it, and its key stays here', async () => {
    const { code, error } = await run(atRoot, 'rotate activate')
    expect([code, error]).toEqual([
      4,
      expect.objectContaining({ code: 'not_in_log', next: expect.stringContaining('svc rotate activate again') }),
    ])
    expect(await run(atRoot, 'rotate activate')).toMatchObject({ code: 4, error: { code: 'not_in_log' } })
    expect(nextKeys(atRoot, core)).toHaveLength(1)
  })

  it('is ended by the words of a sheet alone', async () => {
    core.record = pending
    core.posts.length = 0
    expect(await run(phone, 'rotate veto')).toMatchObject({ code: 7, error: { code: 'words_missing' } })
    expect(core.posts).toEqual([])
    const { code, result, stderr } = await run(phone, 'rotate veto --words first.txt')
    expect(code, stderr).toBe(0)
    expect(result).toMatchObject({ status: 'frozen', basis: 'replacement' })
    expect(core.record?.vetoes).toMatchObject([{ statement: { signedBy: 'successor' } }])
  })
})

describe('svc rotate activate', () => {
  it('never activates a rotation to a key that is not on this machine', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    await run(machine, START)
    const { root, sheet } = core
    const client = new Client({ core: REALM, did: 'https://did.example', identity: root, now: () => NOW })
    const successor = await sheet.successor({ scope: root.scope, epoch: 1 })
    core.open(await client.rotation.makeRequest(successor, { version: 2 }))
    expect(await run(machine, 'rotate activate')).toMatchObject({ code: 7, error: { code: 'key_missing' } })
    expect(core.posts).toEqual([])
    expect(nextKeys(machine, core)).toHaveLength(1)
  })
  it('finishes in a second run, with the recovery file of the new key', async () => {
    const core = await FakeCore.create()
    const machine = await rootMachine(core)
    writeFileSync(join(machine.home, 'first.txt'), core.sheet.revealWords())
    expect(await run(machine, 'rotate start --words first.txt')).toMatchObject({ code: 4, result: { basis: 'full' } })
    // Core activated it, and the first run ended before it could store the key.
    if (core.record) core.record = { ...core.record, status: 'active', activatedAt: NOW }
    core.posts.length = 0
    const { code, result, stderr } = await run(machine, 'rotate activate')
    expect(code, stderr).toBe(0)
    expect(result).toMatchObject({ status: 'active', recovery: expect.stringContaining('-epoch-2.json') })
    expect(core.posts).toEqual([])
    expect(nextKeys(machine, core)).toEqual([])
    expect(await run(machine, 'id show')).toMatchObject({ code: 0, result: { root: { epoch: 1 } } })
  })
})
