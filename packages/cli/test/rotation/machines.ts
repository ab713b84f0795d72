/** Machines of one owner, whose identity a `FakeCore` has. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Device, type Fetch } from '@svc/client'
import type { KeySet } from '@svc/client/backup'
import { CAPABILITIES } from '@svc/client/functions'
import { KeyFile } from '@svc/client/node'
import { recordOfSheet, type SheetRecord, type SuccessorSheet } from '@svc/client/recovery-words'
import { secretOf } from '@svc/client/text'
import { NOBODY, Profiles } from '../../src/settings/profiles.ts'
import { type Machine, newMachine, type Outside, PASSPHRASE } from '../svc.ts'
import { DAY_MS, NOW, REALM } from './deployment.ts'
import type { FakeCore } from './fake-core.ts'

const DATA = '.local/share/svc'
const machines: Machine[] = []

/** Call it after the tests of a file. */
export function removeMachines(): void {
  for (const machine of machines) machine.remove()
}

/** A machine with some keys of the identity; without keys, as for `svc init --did`. */
export async function machineWith(
  core: FakeCore,
  keys: Partial<KeySet> | null,
  fetch: Fetch = core.fetch,
): Promise<Machine> {
  const machine = newMachine({ fetch, descriptor: PASSPHRASE, now: () => NOW })
  machines.push(machine)
  const { did } = core.root
  const profile = { core: REALM, realm: REALM, origin: null, docs: '', ...NOBODY, did }
  await new Profiles(join(machine.home, '.config/svc')).write('default', profile)
  if (keys) await keyFileOf(machine, core).save(keys, secretOf(PASSPHRASE))
  return machine
}

/** A device that the root key attested two days ago. */
export async function deviceOf(core: FakeCore): Promise<Device> {
  const { root, fetch } = core
  const now = NOW - 2 * DAY_MS
  const device = await Device.create({ origin: 'app:svc', capabilities: [...CAPABILITIES] })
  const client = new Client({ core: REALM, did: 'https://did.example', identity: root, fetch, now: () => now })
  const acceptance = await device.acceptance(root.did, { realm: REALM, now })
  const attestation = await client.devices.makeAttestation(acceptance, core.inceptionHead)
  core.events.push(attestation)
  return device.attested(attestation, await client.keyHistory.of(root.did), [REALM])
}

/** Records of confirmed sheets, from the first successor on. */
export function recordsOf({ root }: FakeCore, ...sheets: SuccessorSheet[]): Promise<readonly SheetRecord[]> {
  const key = { scope: root.scope, epoch: 1 }
  return Promise.all(sheets.map((sheet) => recordOfSheet(sheet, key, { confirmedAt: NOW })))
}

/** Runs a command with `--json`. `error` is null if it wrote a result. */
export async function run(machine: Machine, words: string, more: Partial<Outside> = {}) {
  const { code, stdout, stderr } = await machine.svc(`${words} --json --yes --passphrase-fd 3`, more)
  const { error } = code === 0 || stdout !== '' ? { error: null } : failureIn(stderr)
  return {
    code,
    error,
    result: stdout === '' ? null : (JSON.parse(stdout) as Readonly<Record<string, unknown>>),
    stderr,
  }
}

/** A person who copies the words of a new sheet, and types those that are asked for. */
export function copying(): Pick<Outside, 'answers' | 'onStderr'> {
  const words: string[] = []
  const onStderr = (text: string) => {
    for (const [, position, word = ''] of text.matchAll(/ ?(\d+) ([a-z]{3,8})/g)) words[Number(position) - 1] = word
  }
  const type = async (question: string) => words[Number(/\d+/.exec(question)?.[0]) - 1] ?? ''
  return { onStderr, answers: [type, type] }
}

export const keysOn = (machine: Machine, core: FakeCore) => keyFileOf(machine, core).load(secretOf(PASSPHRASE))

/** Paths of the root keys that are kept until their rotations are active. */
export function nextKeys({ home }: Machine, { root }: FakeCore): string[] {
  const folder = join(home, DATA, 'next', root.did.slice(8))
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function failureIn(stderr: string) {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return JSON.parse(line) as { error: { code: string; message: string; next: string } }
}

function keyFileOf({ home }: Machine, { root }: FakeCore): KeyFile {
  return new KeyFile(join(home, DATA, 'keys', `${root.did.slice(8)}.json`))
}
