import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** In port order. */
export const WORKER_NAMES = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs'] as const
export type WorkerName = (typeof WORKER_NAMES)[number]

export const DEFAULT_PORT_BASE = 8787
export const DEFAULT_STATE_DIR = join(ROOT, '.state')
/** The static application, and its configuration for Cloudflare. */
export const CONSOLE_FOLDER = join(ROOT, 'packages/console')
export const CONSOLE_CONFIG = join(CONSOLE_FOLDER, 'wrangler.jsonc')
export const CORES = availableParallelism()

export function portOf(name: WorkerName, portBase: number): number {
  return portBase + WORKER_NAMES.indexOf(name)
}

/** The local IPFS gateway uses the port after the Workers. */
export function gatewayPortOf(portBase: number): number {
  return portBase + WORKER_NAMES.length
}

/** Free for a site that a test serves. */
export function sitePortOf(portBase: number): number {
  return gatewayPortOf(portBase) + 1
}

/** The console of a platform on the default ports; others have it beside their services, so that many can run at once. */
export const DEFAULT_CONSOLE_PORT = 3000

export function consolePortOf(portBase: number): number {
  return portBase === DEFAULT_PORT_BASE ? DEFAULT_CONSOLE_PORT : portBase + WORKER_NAMES.length + 2
}

/** The local identity providers. */
export function identityProviderPortOf(portBase: number): number {
  return portBase + WORKER_NAMES.length + 3
}

/** The local witness. */
export function witnessPortOf(portBase: number): number {
  return identityProviderPortOf(portBase) + 1
}

export function isWorkerName(name: string): name is WorkerName {
  return (WORKER_NAMES as readonly string[]).includes(name)
}

/** Resolves a path against the caller's working directory; the entries themselves run in the repository. */
export function resolveFromCaller(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), path)
}

/** A problem that the user can fix. The message says everything they need, so no stack is printed. */
export class SetupError extends Error {
  override name = 'SetupError'
}
