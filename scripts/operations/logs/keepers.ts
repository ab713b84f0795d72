/**
 * The Workers that keep a log: where each one reports the name and the key of its open log, and the bucket from which it
 * serves the signed list of logs.
 *
 * @module
 */
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import { bytesOf } from '@svc/protocol/base/base64url'
import { type Realms, realmsSchema } from '@svc/protocol/base/realm'
import { verifyStatement } from '@svc/protocol/base/statement'
import { CHECKPOINT_TYPES, type LogCheckpoint, logCheckpointSchema } from '@svc/protocol/merkle/checkpoint'
import { LOG_SERIES, type LogSeries, logNameOf } from '@svc/protocol/merkle/log-name'
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
  readonly realms: Realms
  /** The realm in which its logs were founded. */
  readonly namespace: string
  /** The name of the log that its configuration opens. */
  readonly log: string
  /** The secret that its keys are derived from, and how many seeds there were. */
  readonly seed: string
  readonly seedVersion: number
}

/** A log and its key, as the Worker that signs with it reports them. */
export interface ReportedLog {
  readonly series: LogSeries
  readonly log: string
  readonly publicKeyB64u: string
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
      realms,
      namespace,
      log: logNameOf(namespace, series, period),
      seed,
      seedVersion,
    }
  })
}

/** Asks every keeper which log it writes. Refuses a log that the configuration does not name, or that nobody signed for. */
export function reportedLogs(keepers: readonly Keeper[], send: Send = fetch): Promise<ReportedLog[]> {
  return Promise.all(
    keepers.map(async (keeper) => {
      const checkpoint = await checkpointOf(keeper, send)
      const { log, type } = checkpoint.statement
      if (log !== keeper.log || type !== CHECKPOINT_TYPES[keeper.series])
        throw new SetupError(
          `${keeper.origin} writes ${log}, its configuration names ${keeper.log}: run scripts/deploy.`,
        )
      const { publicKeyB64u } = checkpoint
      if (!(await verifyStatement(checkpoint, bytesOf(publicKeyB64u), keeper.realms)))
        throw new SetupError(`${keeper.origin} shows a checkpoint of ${log} that its key did not sign.`)
      return { series: keeper.series, log, publicKeyB64u }
    }),
  )
}

async function checkpointOf({ series, origin }: Keeper, send: Send): Promise<LogCheckpoint> {
  const url = origin + KEEPERS[series].path
  const response = await send(url).catch((error: unknown) => {
    throw new SetupError(`${url} cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
  })
  const body = (await response.json().catch(() => null)) as { data?: { checkpoint?: unknown } } | null
  // The directory wraps its answers, core does not.
  const parsed = logCheckpointSchema.safeParse(body?.data?.checkpoint ?? body)
  if (response.ok && parsed.success) return parsed.data
  throw new SetupError(`${url} answered ${response.status} and no checkpoint: has the Worker its log seed?`)
}
