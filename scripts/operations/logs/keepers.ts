/**
 * The Workers that keep a log: where each one reports the name and the key of its open log, and the bucket from which it
 * serves the signed list of logs.
 *
 * @module
 */
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import { isVrfPublicKey } from '@svc/pqc/vrf'
import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { type Realms, realmsSchema } from '@svc/protocol/base/realm'
import { verifyStatement } from '@svc/protocol/base/statement'
import { CHECKPOINT_TYPES, type LogCheckpoint, logCheckpointSchema } from '@svc/protocol/merkle/checkpoint'
import { LOG_FILES_PATHS, labelKeySchema } from '@svc/protocol/merkle/log-list'
import { LOG_SERIES, type LogSeries, logNameOf, logPeriodSchema } from '@svc/protocol/merkle/log-name'
import type { Deployment } from '../deployment.ts'
import { configOf, type RawConfig } from '../worker-deployment.ts'

const KEEPERS = {
  anchors: { worker: 'core', binding: 'BLOBS', seed: 'ANCHOR_LOG_SEED', path: '/api/anchors/checkpoint' },
  transparency: { worker: 'keys', binding: 'TILES', seed: 'DIRECTORY_LOG_SEED', path: '/api/transparency/checkpoint' },
} as const satisfies Record<LogSeries, { worker: WorkerName; binding: string; seed: string; path: string }>

export interface Configured {
  readonly deployment: Deployment
  readonly configs: ReadonlyMap<WorkerName, RawConfig>
}

/** A Worker that keeps the logs of one series, as it is deployed. */
export interface Keeper {
  readonly series: LogSeries
  readonly worker: WorkerName
  readonly bucket: string
  readonly origin: string
  /** The base of the tiles and entries of its logs. */
  readonly tiles: string
  readonly realms: Realms
  /** The realm in which its logs were founded. */
  readonly namespace: string
  /** The name of the log in its configuration: the open one, or one before it. */
  readonly log: string
  /** The secret that its keys are derived from, and the configured version. */
  readonly seed: string
  readonly seedVersion: number
}

/** A log and its key, as the Worker that signs with it reports them. */
export interface ReportedLog {
  readonly series: LogSeries
  readonly log: string
  readonly publicKeyB64u: string
  readonly tiles: string
}

/** What the deployed Workers say for the first list. */
export interface Reported {
  readonly logs: readonly ReportedLog[]
  readonly labelKeyB64u: string
}

export type Send = (url: string) => Promise<Response>

export function keepersOf({ deployment, configs }: Configured): Keeper[] {
  return LOG_SERIES.map((series) => {
    const { worker, binding, seed } = KEEPERS[series]
    const base = configs.get(worker)
    if (base === undefined) throw new SetupError(`${worker} has no configuration.`)
    const { vars, r2_buckets: buckets } = configOf(worker, base, deployment, { sha: '' })
    const bucket = buckets?.find((one) => one.binding === binding)?.bucket_name
    const realms = realmsSchema.parse(vars['REALMS'])
    const { LOG_PERIOD: period, LOG_KEY_VERSION: seedVersion, LOG_NAMESPACE: founded } = vars
    if (bucket === undefined || typeof period !== 'string' || typeof seedVersion !== 'number')
      throw new SetupError(`${worker} has no bucket ${binding}, no LOG_PERIOD or no LOG_KEY_VERSION.`)
    const namespace = typeof founded === 'string' && founded !== '' ? founded : realms[0]
    const origin = `https://${deployment.hosts[worker][0] ?? ''}`
    return {
      series,
      worker,
      bucket,
      origin,
      tiles: `${origin}${LOG_FILES_PATHS[series]}`,
      realms,
      namespace,
      log: logNameOf(namespace, series, period),
      seed,
      seedVersion,
    }
  })
}

/**
 * Asks every keeper which log it writes, and the directory for the key of its labels. Refuses a log of another deployment,
 * or that nobody signed for.
 */
export async function reported(keepers: readonly Keeper[], send: Send = fetch): Promise<Reported> {
  return { logs: await reportedLogs(keepers, send), labelKeyB64u: await reportedLabelKey(keepers, send) }
}

async function reportedLabelKey(keepers: readonly Keeper[], send: Send): Promise<string> {
  const origin = keepers.find(({ series }) => series === 'transparency')?.origin ?? ''
  const url = `${origin}/api/capabilities`
  const response = await send(url).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const body = (await response.json().catch(() => null)) as { transparency?: { labelKeyB64u?: unknown } } | null
  const key = labelKeySchema.safeParse(body?.transparency?.labelKeyB64u)
  if (response.ok && key.success && isVrfPublicKey(bytesOf(key.data))) return key.data
  throw new SetupError(`${url} names no key of labels: has keys its KEY_LABELS_SEED?`)
}

function reportedLogs(keepers: readonly Keeper[], send: Send): Promise<ReportedLog[]> {
  return Promise.all(
    keepers.map(async (keeper) => {
      const checkpoint = await checkpointOf(keeper, send)
      const { log, type } = checkpoint.statement
      if (!log.startsWith(logNameOf(keeper.namespace, keeper.series, '')) || type !== CHECKPOINT_TYPES[keeper.series])
        throw new SetupError(
          `${keeper.origin} writes ${log}, which does not belong to this deployment: run scripts/deploy.`,
        )
      return { series: keeper.series, log, publicKeyB64u: checkpoint.publicKeyB64u, tiles: keeper.tiles }
    }),
  )
}

/** The last checkpoint of a log, as its keeper shows it. Only the log list tells whether it is the final one. */
export function lastCheckpoint(keepers: readonly Keeper[], log: string, send: Send = fetch): Promise<LogCheckpoint> {
  return checkpointOf(keeperOf(keepers, log), send, log)
}

/** The keeper of the series that a log belongs to by its name. */
export function keeperOf(keepers: readonly Keeper[], log: string): Keeper {
  const keeper = keepers.find(({ namespace, series }) => log.startsWith(logNameOf(namespace, series, '')))
  if (keeper && logPeriodSchema.safeParse(log.split('/').at(-1)).success) return keeper
  throw new SetupError(`${log} is not a name like ${keepers.map((one) => one.log).join(' or ')}.`)
}

/** The seed that the keys of a log are derived from, by default in the configured version. */
export function logSeedOf(
  { seed: base, seedVersion }: Keeper,
  log: string,
  seedOf: (name: string) => string | undefined,
  version: number = seedVersion,
): { readonly seed: Uint8Array; readonly keyVersion: number } {
  const name = version === 1 ? base : `${base}_${version}`
  const seed = seedOf(name)
  if (seed === undefined) throw new SetupError(`The key of ${log} is derived from ${name}, which is missing.`)
  return { seed: fromHex(seed), keyVersion: version }
}

function unreachable(url: string, error: unknown): SetupError {
  return new SetupError(`${url} cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
}

async function checkpointOf({ series, origin, realms }: Keeper, send: Send, log?: string): Promise<LogCheckpoint> {
  const url = `${origin}${KEEPERS[series].path}${log === undefined ? '' : `?log=${encodeURIComponent(log)}`}`
  const response = await send(url).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const body = (await response.json().catch(() => null)) as { data?: { checkpoint?: unknown } } | null
  // The directory wraps its answers, core does not.
  const parsed = logCheckpointSchema.safeParse(body?.data?.checkpoint ?? body)
  if (response.ok && parsed.success) {
    const checkpoint = parsed.data
    if (await verifyStatement(checkpoint, bytesOf(checkpoint.publicKeyB64u), realms)) return checkpoint
    throw new SetupError(`${origin} shows a checkpoint of ${checkpoint.statement.log} that its key did not sign.`)
  }
  throw new SetupError(`${url} answered ${response.status} and no checkpoint: has the Worker its log seed?`)
}
