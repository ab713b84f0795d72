/**
 * `scripts/operate export-databases`, `import-databases`, `seed-versions` and `new-export-key`.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@svc/platform/entry'
import { readPrivateFile } from '@svc/platform/seed-file'
import { LocalDatabases } from '@svc/platform/state/local-databases'
import { DEFAULT_STATE_DIR, resolveFromCaller } from '@svc/platform/workspace'
import { apiOf, committedConfigs } from '../account.ts'
import { environmentOf, readDeployment } from '../deployment.ts'
import { AccountDatabases } from './account-databases.ts'
import type { Databases } from './databases.ts'
import { exportDatabases } from './export-databases.ts'
import { bucketPlace, type ExportPlace, folderPlace } from './export-place.ts'
import { importDatabases } from './import-databases.ts'
import { newKey } from './sealed-export.ts'
import { countNamedRows, seedVersionLines } from './seed-versions.ts'

export const DATABASE_OPTIONS = {
  local: { type: 'boolean', default: false },
  state: { type: 'string' },
  folder: { type: 'string' },
  identity: { type: 'string' },
  lost: { type: 'string' },
  from: { type: 'string' },
  manifest: { type: 'string' },
  only: { type: 'string' },
  replace: { type: 'boolean', default: false },
} as const

export const DATABASE_HELP = `
Options of the commands for databases:
  --local          the databases of a local platform that is stopped, instead of an environment
  --state DIR      its state folder (default .state)
  --folder DIR     where exports are (default: the bucket svc-exports; with --local, the folder exports of the state)
  --identity FILE  the key file of age that opens the export, which only you can read, or a pipe
  --lost WHEN      when the databases were lost or set back: now, or a time like 2027-03-01T10:00:00Z
  --from EXPORT    the name of an export (default: the newest)
  --manifest HASH  the hash that the export printed: refuses any other
  --only LIST      databases, like svc-core,svc-pay (default: all)
  --replace        discard what is in a database that is not empty`

interface Values {
  readonly local: boolean
  readonly state?: string | undefined
  readonly folder?: string | undefined
  readonly identity?: string | undefined
  readonly lost?: string | undefined
  readonly from?: string | undefined
  readonly manifest?: string | undefined
  readonly only?: string | undefined
  readonly replace: boolean
}

/** Null if the name is that of another command. Otherwise the exit status. */
export function databaseCommand(
  name: string | undefined,
  operands: readonly string[],
  values: Values,
  now: number,
): Promise<number> | null {
  if (name === 'export-databases') return within(operands, values, (target) => runExport(target, now))
  if (name === 'import-databases') {
    const lostAt = lostAtOf(values.lost, now)
    return within(operands, values, (target) => runImport(target, values, { lostAt, now }))
  }
  if (name === 'seed-versions') return within(operands, values, runCount)
  return name === 'new-export-key' ? makeKey(operands) : null
}

async function runExport(target: Target, now: number): Promise<number> {
  await exportDatabases({ ...target, recipients: await target.recipients(), now, print: console.log })
  return 0
}

async function runCount({ databases }: Target): Promise<number> {
  for (const line of seedVersionLines(await countNamedRows(databases))) console.log(line)
  return 0
}

async function runImport(
  target: Target,
  { from, manifest, only, replace }: Values,
  times: { readonly lostAt: number; readonly now: number },
): Promise<number> {
  const isComplete = await importDatabases({
    ...target,
    ...times,
    from,
    manifestHash: manifest,
    keyFile: target.keyFile(),
    only: only?.split(','),
    replaces: replace,
    print: console.log,
  })
  return isComplete ? 0 : 1
}

function lostAtOf(text: string | undefined, now: number): number {
  const lostAt = text === 'now' ? now : Date.parse(text ?? '')
  if (Number.isFinite(lostAt)) return lostAt
  throw new UsageError('--lost says when the databases were lost: now, or a time like 2027-03-01T10:00:00Z')
}

interface Target {
  readonly deployment: string
  readonly databases: Databases
  readonly place: ExportPlace
  readonly recipients: () => Promise<readonly string[]>
  readonly keyFile: () => string
}

async function within(
  operands: readonly string[],
  values: Values,
  run: (target: Target) => Promise<number>,
): Promise<number> {
  const keyFile = () => {
    if (values.identity === undefined) throw new UsageError('--identity names the key file that opens the export')
    return readPrivateFile(values.identity)
  }
  const folder = values.folder === undefined ? undefined : resolveFromCaller(values.folder)
  if (!values.local) {
    const deployment = readDeployment(environmentOf(operands))
    const api = apiOf(deployment)
    return run({
      deployment: deployment.name,
      databases: new AccountDatabases(api, deployment, committedConfigs()),
      place: folder === undefined ? bucketPlace(api, deployment.suffix) : folderPlace(folder),
      recipients: () => Promise.resolve(deployment.exportRecipients),
      keyFile,
    })
  }
  if (operands.length > 0) throw new UsageError('--local takes no environment')
  const stateDir = values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state)
  const databases = await LocalDatabases.open(stateDir)
  const key = join(stateDir, 'export.key')
  try {
    return await run({
      deployment: 'local',
      databases,
      place: folderPlace(folder ?? join(stateDir, 'exports')),
      recipients: async () => [await recipientIn(key)],
      keyFile: () => (values.identity === undefined ? readPrivateFile(key) : keyFile()),
    })
  } finally {
    await databases.close()
  }
}

/** A local platform has a key of its own, beside its other secrets. */
async function recipientIn(path: string): Promise<string> {
  if (!existsSync(path)) writeFileSync(path, (await newKey()).file, { mode: 0o600 })
  return /age1pq1[a-z0-9]+/.exec(readFileSync(path, 'utf8'))?.[0] ?? ''
}

async function makeKey([file, ...more]: readonly string[]): Promise<number> {
  if (file === undefined || more.length > 0) throw new UsageError('Name the file to write the key to')
  const { file: text, recipient } = await newKey()
  // A key that is there may be the only one that opens earlier exports.
  writeFileSync(resolveFromCaller(file), text, { mode: 0o600, flag: 'wx' })
  console.log(recipient)
  return 0
}
