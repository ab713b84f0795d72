import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { type SignedLogList, signedLogListSchema } from '@svc/protocol/merkle/log-list'
import { openedLog, signLogList } from '@svc/protocol/merkle/log-list-signing'
import { type LogSeries, logNameOf } from '@svc/protocol/merkle/log-name'

/** The Worker that keeps each log. */
const KEEPERS: Readonly<Record<LogSeries, string>> = { anchors: 'core', transparency: 'keys' }
const YEAR_MS = 365 * 24 * 3_600_000
/** A kept list is replaced this long before it ends, so that none ends while the platform runs. */
const RENEWED_MS = 30 * 24 * 3_600_000

export interface LocalLog {
  readonly series: LogSeries
  readonly period: string
  readonly seed: Uint8Array
  readonly seedVersion: number
}

interface ConfiguredWorker {
  readonly name: string
  readonly options: { readonly bindings: Readonly<Record<string, unknown>> }
}

/** The logs that the configuration of the Workers opens. */
export function localLogs(
  workers: readonly ConfiguredWorker[],
  seeds: Readonly<Record<LogSeries, Uint8Array>>,
): readonly LocalLog[] {
  return (['anchors', 'transparency'] as const).flatMap((series) => {
    const bindings = workers.find(({ name }) => name === KEEPERS[series])?.options.bindings ?? {}
    const { LOG_PERIOD: period, LOG_KEY_VERSION: seedVersion } = bindings
    if (typeof period !== 'string' || typeof seedVersion !== 'number') return []
    return [{ series, period, seedVersion, seed: seeds[series] }]
  })
}

/** A first list of logs, signed with one key: for local development and tests. Deployments sign theirs offline. */
export async function localLogList(
  realm: string,
  logs: readonly LocalLog[],
  listSeed: Uint8Array,
  now: number,
): Promise<SignedLogList> {
  const publicKey = await mlDsa65.publicKeyOf(listSeed)
  const listed = logs.map(async ({ series, period, seed, seedVersion }) => {
    const log = logNameOf(realm, series, period)
    const logKey = await mlDsa65.publicKeyOf(logKeySeed(seed, seedVersion, log))
    return openedLog({ log, series, publicKeyB64u: encodeBase64url(logKey) }, now)
  })
  return signLogList(
    {
      type: 'svc/log-list/v1',
      realm,
      namespace: realm,
      version: 1,
      previous: null,
      keys: { threshold: 1, publicKeysB64u: [encodeBase64url(publicKey)] },
      logs: await Promise.all(listed),
      issuedAt: now,
      validUntil: now + YEAR_MS,
    },
    [{ publicKey, sign: (message) => mlDsa65.sign(listSeed, message) }],
  )
}

/** The list of a local platform, kept with its state: clients that saw it before accept it again. */
export async function keptLogList(
  path: string,
  realm: string,
  logs: readonly LocalLog[],
  listSeed: Uint8Array,
  now: number,
): Promise<SignedLogList> {
  const made = await localLogList(realm, logs, listSeed, now)
  const kept = existsSync(path) ? signedLogListSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))) : null
  const names = ({ statement }: SignedLogList) => statement.logs.map(({ log, publicKeyB64u }) => [log, publicKeyB64u])
  const isCurrent = kept?.success && kept.data.statement.validUntil > now + RENEWED_MS
  if (isCurrent && JSON.stringify(names(kept.data)) === JSON.stringify(names(made))) return kept.data
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(made)}\n`)
  renameSync(`${path}.${process.pid}`, path)
  return made
}
