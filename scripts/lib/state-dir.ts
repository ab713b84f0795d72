import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, identify, isRunning, killAndWait, type ProcessIdentity } from './process-table.ts'
import { requireReadableDatabases } from './state-databases.ts'
import { SetupError } from './workspace.ts'

interface RunRecord {
  node: ProcessIdentity
  runtime: ProcessIdentity[]
}

export interface Claim {
  /** True when a killed run had left its runtime process behind. */
  clearedPreviousRun: boolean
  /** Records the runtime processes of this run as they are now. */
  recordRuntime(): boolean
  release(): void
}

/** Makes the folder this process's own until released; clears what a killed run left. */
export async function claimStateDir(stateDir: string): Promise<Claim> {
  prepareStateDir(stateDir)
  const path = join(stateDir, 'run.json')
  const clearedPreviousRun = await clearPreviousRun(path, stateDir)
  requireReadableDatabases(stateDir)
  const node = identify(process.pid)
  if (node === undefined) throw new Error('this process is not in the process table')
  const record: RunRecord = { node, runtime: [] }
  try {
    writeFileSync(path, JSON.stringify(record), { flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new SetupError(
      `Another start took ${stateDir} at the same moment: stop it, or use --state with another folder.`,
    )
  }
  return {
    clearedPreviousRun,
    recordRuntime() {
      record.runtime = childrenOf(process.pid).filter(({ command }) => /workerd\S* serve /.test(command))
      writeFileSync(path, JSON.stringify(record))
      return record.runtime.length > 0
    },
    release: () => rmSync(path, { force: true }),
  }
}

function prepareStateDir(stateDir: string): void {
  for (const folder of [stateDir, join(stateDir, 'v3')]) {
    try {
      mkdirSync(folder, { recursive: true })
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      const fault = code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a folder' : `cannot be used (${code})`
      throw new SetupError(`The state folder ${folder} ${fault}: remove it, or use --state with another folder.`)
    }
  }
  // Counts of the last minute; deployed, they do not outlive a restart either.
  rmSync(join(stateDir, 'v3/ratelimit'), { recursive: true, force: true })
}

async function clearPreviousRun(path: string, stateDir: string): Promise<boolean> {
  const previous = readRecord(path)
  if (previous === undefined) {
    rmSync(path, { force: true })
    return false
  }
  if (isRunning(previous.node))
    throw new SetupError(
      `${stateDir} is in use by another start (process ${previous.node.pid}): stop it, or use --state with another folder and --port-base with other ports.`,
    )
  const left = previous.runtime.filter(isRunning)
  for (const orphan of left) {
    if (await killAndWait(orphan)) continue
    throw new SetupError(
      `A previous run left process ${orphan.pid} behind and it could not be ended: end it, then start again.`,
    )
  }
  rmSync(path, { force: true })
  return left.length > 0
}

function readRecord(path: string): RunRecord | undefined {
  try {
    const { node, runtime } = JSON.parse(readFileSync(path, 'utf8')) as Partial<RunRecord>
    return node && Array.isArray(runtime) ? { node, runtime } : undefined
  } catch {
    return undefined
  }
}
