import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../workspace.ts'
import { requireReadableDatabases } from './databases.ts'
import { childrenOf, identify, isRunning, killAndWait, type ProcessIdentity } from './process-table.ts'

interface RunRecord {
  node: ProcessIdentity
  runtime: ProcessIdentity[]
}

export interface Claim {
  /** True if a killed run had left its runtime process behind. */
  clearedPreviousRun: boolean
  /** Records the current runtime processes of this run. */
  recordRuntime(): boolean
  release(): void
}

/** Claims the folder for this process until released, and cleans up after a killed run. */
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
      `Another start took ${stateDir} at the same moment: stop it, or choose another folder with --state.`,
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
      throw new SetupError(`The state folder ${folder} ${fault}: remove it, or choose another folder with --state.`)
    }
  }
}

async function clearPreviousRun(path: string, stateDir: string): Promise<boolean> {
  const previous = readRecord(path)
  if (previous === undefined) {
    rmSync(path, { force: true })
    return false
  }
  if (isRunning(previous.node))
    throw new SetupError(
      `${stateDir} is in use by another start (process ${previous.node.pid}): stop it, or choose another folder with --state and other ports with --port-base.`,
    )
  const left = previous.runtime.filter(isRunning)
  for (const orphan of left) {
    if (await killAndWait(orphan)) continue
    throw new SetupError(
      `A previous run left process ${orphan.pid} behind, which could not be killed: kill it, then start again.`,
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
