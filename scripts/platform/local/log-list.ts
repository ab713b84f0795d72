import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { labelProver } from '@svc/protocol/keys/label-prover'
import { beaconOrigin } from '@svc/protocol/merkle/beacon'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import type { ListedKeys } from '@svc/protocol/merkle/listed-keys'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import {
  type ListedLog,
  LOG_FILES_PATHS,
  type LogList,
  listHash,
  openLog,
  type SignedLogList,
  signedLogListSchema,
} from '@svc/protocol/merkle/log-list'
import { verifyNextList } from '@svc/protocol/merkle/log-list-chain'
import { firstLogList, nextLogList, openedLog, signLogList } from '@svc/protocol/merkle/log-list-signing'
import { type LogSeries, logNameOf } from '@svc/protocol/merkle/log-name'
import { derivedBeaconKeys } from '../keys/listed-keys.ts'

/** The Worker that keeps each log. */
const KEEPERS = { anchors: 'core', transparency: 'keys' } as const satisfies Record<LogSeries, string>
const YEAR_MS = 365 * 24 * 3_600_000
/** A kept list is replaced this long before it ends, so that none ends while the platform runs. */
const RENEWED_MS = 30 * 24 * 3_600_000

export interface LocalLog {
  readonly series: LogSeries
  readonly period: string
  readonly seed: Uint8Array
  readonly seedVersion: number
  /** The base of its tiles and entries. */
  readonly tiles: string
}

interface ConfiguredWorker {
  readonly name: string
  readonly options: { readonly bindings: Readonly<Record<string, unknown>> }
}

/** The logs that the configuration of the Workers opens. */
export function localLogs(
  workers: readonly ConfiguredWorker[],
  seeds: Readonly<Record<LogSeries, Uint8Array>>,
  urls: Readonly<Record<'core' | 'keys', string>>,
): readonly LocalLog[] {
  return (['anchors', 'transparency'] as const).flatMap((series) => {
    const bindings = workers.find(({ name }) => name === KEEPERS[series])?.options.bindings ?? {}
    const { LOG_PERIOD: period, LOG_KEY_VERSION: seedVersion } = bindings
    if (typeof period !== 'string' || typeof seedVersion !== 'number') return []
    const tiles = `${urls[KEEPERS[series]]}${LOG_FILES_PATHS[series]}`
    return [{ series, period, seedVersion, seed: seeds[series], tiles }]
  })
}

/** The log after one: the next letter, and `a` of the next year after `z`. */
export function logAfter(log: LocalLog, { seed, seedVersion }: Pick<LocalLog, 'seed' | 'seedVersion'> = log): LocalLog {
  const [year, letter] = [Number(log.period.slice(0, 4)), log.period.charCodeAt(4)]
  const period = letter === 0x7a ? `${year + 1}a` : `${year}${String.fromCharCode(letter + 1)}`
  return { ...log, period, seed, seedVersion }
}

async function listed(realm: string, made: LocalLog, now: number): Promise<ListedLog> {
  const { series, period, seed, seedVersion, tiles } = made
  const log = logNameOf(realm, series, period)
  const key = await mlDsa65.publicKeyOf(logKeySeed(seed, seedVersion, log))
  return openedLog({ log, series, publicKeyB64u: encodeBase64url(key), tiles }, now)
}

async function signed(statement: LogList, listSeed: Uint8Array): Promise<SignedLogList> {
  const publicKey = await mlDsa65.publicKeyOf(listSeed)
  return signLogList(statement, [{ publicKey, sign: (message) => mlDsa65.sign(listSeed, message) }])
}

/** A first list of logs, signed with one key: for local development and tests. Deployments sign theirs offline. */
export async function localLogList(
  realm: string,
  {
    open,
    announced = [],
    labelsSeed,
    services = [],
    witnesses = { threshold: 0, keys: [] },
  }: {
    readonly open: readonly LocalLog[]
    readonly announced?: readonly LocalLog[]
    readonly labelsSeed: Uint8Array
  } & Partial<ListedKeys>,
  listSeed: Uint8Array,
  now: number,
): Promise<SignedLogList> {
  const publicKey = await mlDsa65.publicKeyOf(listSeed)
  const logs = await Promise.all([
    ...open.map((log) => listed(realm, log, now)),
    ...announced.map(async (log) => ({ ...(await listed(realm, log, now)), state: 'announced' as const })),
  ])
  const keys = { threshold: 1, publicKeysB64u: [encodeBase64url(publicKey)] }
  const times = { issuedAt: now, validUntil: now + YEAR_MS }
  const beacon = await beaconOf(realm, [...open, ...announced], now)
  const { publicKeyB64u: labelKeyB64u } = labelProver(labelsSeed, realm)
  const members = { realm, labelKeyB64u, keys, logs, services: [...services], beacon, witnesses, ...times }
  return signed(firstLogList(members), listSeed)
}

async function beaconOf(realm: string, logs: readonly LocalLog[], now: number) {
  const kept = logs.filter(({ series }) => series === 'transparency')
  const keys = kept.map((log) => derivedBeaconKeys(log, beaconOrigin(realm, log.period), now))
  return (await Promise.all(keys)).flat()
}

/** The list after a kept one with the keys of another; the kept one if it has them, null if they cannot follow. */
export async function listWithKeys(
  kept: SignedLogList,
  { statement: { services, witnesses, realm } }: SignedLogList,
  listSeed: Uint8Array,
  now: number,
): Promise<SignedLogList | null> {
  const same = { ...kept, statement: { ...kept.statement, services, witnesses } }
  if (listHash(same) === listHash(kept)) return kept
  const times = { issuedAt: now, validUntil: now + YEAR_MS }
  const next = await signed(nextLogList(kept, { services, witnesses, ...times }), listSeed)
  return (await verifyNextList(kept, next, [realm])).ok ? next : null
}

/** What the service of a series says of its logs: the open one, and the last checkpoint of one that was closed. */
export interface RolledSeries {
  readonly series: LogSeries
  readonly open: string
  readonly final: (log: string) => Promise<LogCheckpoint>
  /** The log to announce after the open one. */
  readonly next: LocalLog
}

/** The list that reports the rolls since a list; null if there were none. */
export async function listAfterRolls(
  before: SignedLogList,
  all: readonly RolledSeries[],
  listSeed: Uint8Array,
  now: number,
): Promise<SignedLogList | null> {
  let { logs, beacon } = before.statement
  for (const { series, open, final, next } of all) {
    const closed = openLog({ ...before.statement, logs }, series)
    if (!closed || closed.log === open) continue
    const last = await final(closed.log)
    const { log, size, root } = last.statement
    const announced = { ...(await listed(before.statement.realm, next, now)), state: 'announced' as const }
    logs = [
      ...logs.map((one): ListedLog => {
        if (one.log === closed.log) return { ...one, state: 'closed', final: last }
        return one.log === open ? { ...one, state: 'open', openedAt: now, previous: { log, size, root } } : one
      }),
      announced,
    ]
    beacon = [...beacon, ...(await beaconOf(before.statement.realm, [next], now))]
  }
  if (logs === before.statement.logs) return null
  return signed(nextLogList(before, { logs: [...logs], beacon, issuedAt: now, validUntil: now + YEAR_MS }), listSeed)
}

/** The list of a local platform, kept with its state: clients that saw it before accept it again. */
export class KeptLogList {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Null unless a kept list has these logs and labels and is valid for a while. */
  read(realm: string, made: SignedLogList, now: number): SignedLogList | null {
    const kept = existsSync(this.#path)
      ? signedLogListSchema.safeParse(JSON.parse(readFileSync(this.#path, 'utf8')))
      : null
    if (!kept?.success || kept.data.statement.realm !== realm) return null
    if (kept.data.statement.labelKeyB64u !== made.statement.labelKeyB64u) return null
    const has = ({ log, publicKeyB64u, state }: ListedLog) =>
      state === 'announced' ||
      kept.data.statement.logs.some((one) => one.log === log && one.publicKeyB64u === publicKeyB64u)
    const isCurrent = kept.data.statement.validUntil > now + RENEWED_MS
    return isCurrent && made.statement.logs.every(has) ? kept.data : null
  }

  write(list: SignedLogList): void {
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(`${this.#path}.${process.pid}`, `${JSON.stringify(list)}\n`)
    renameSync(`${this.#path}.${process.pid}`, this.#path)
  }
}
