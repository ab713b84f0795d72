import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** In the order of their ports. */
export const WORKER_NAMES = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs'] as const
export type WorkerName = (typeof WORKER_NAMES)[number]

export const DEFAULT_PORT_BASE = 8787
export const DEFAULT_STATE_DIR = join(ROOT, '.state')
export const CORES = availableParallelism()

export function portOf(name: WorkerName, portBase: number): number {
  return portBase + WORKER_NAMES.indexOf(name)
}

/** The local counterpart of an IPFS gateway listens behind the Workers. */
export function gatewayPortOf(portBase: number): number {
  return portBase + WORKER_NAMES.length
}

export function isWorkerName(name: string): name is WorkerName {
  return (WORKER_NAMES as readonly string[]).includes(name)
}

/** Where the person who typed the command stood; the commands themselves run in the repository. */
export function resolveFromCaller(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), path)
}

/** Something the reader can put right: its message is the whole of what they need. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/** Without its full stop: Node's own argument errors run over several lines. */
export function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split(/\.(?:\s|$)|\n/)[0] ?? message
}
