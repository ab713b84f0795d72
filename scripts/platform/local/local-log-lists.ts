import { join } from 'node:path'
import { type LogCheckpoint, logCheckpointSchema } from '@svc/protocol/merkle/checkpoint'
import type { ListedKeys } from '@svc/protocol/merkle/listed-keys'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import { logListFiles } from '@svc/protocol/merkle/log-list-files'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import {
  KeptLogList,
  type LocalLog,
  listAfterRolls,
  listWithKeys,
  localLogList,
  logAfter,
  type RolledSeries,
} from './log-list.ts'

export interface LogListParts {
  readonly stateDir: string
  readonly realm: string
  /** The logs of the configuration. */
  readonly logs: readonly LocalLog[]
  /** The secret of the labels of accounts. */
  readonly labelsSeed: Uint8Array
  readonly listSeed: Uint8Array
  /** The keys of services and witnesses. */
  readonly keys: Pick<ListedKeys, 'services' | 'witnesses'>
  /** The seeds of the logs that are announced, if they are not those of the logs before. */
  readonly nextSeeds?: Partial<Record<LogSeries, Pick<LocalLog, 'seed' | 'seedVersion'>>> | undefined
  /** Where the services are. */
  readonly urls: { readonly core: string; readonly keys: string }
  /** Writes a file into the buckets of the services that keep logs. */
  readonly put: (key: string, text: string) => Promise<void>
}

const PATHS = { anchors: '/api/anchors/checkpoint', transparency: '/api/transparency/checkpoint' } as const

/** Does for a local platform what an operator does with `scripts/log-list`: announces the next log, and reports rolls. */
export class LocalLogLists {
  readonly #parts: LogListParts
  readonly #kept: KeptLogList
  #list: SignedLogList | null = null

  constructor(parts: LogListParts) {
    this.#parts = parts
    this.#kept = new KeptLogList(join(parts.stateDir, 'log-list.json'))
  }

  /** Before the services run: the list that was kept, or a first one. */
  async publish(now: number): Promise<void> {
    const { realm, logs, labelsSeed, listSeed, keys } = this.#parts
    const announced = logs.map((log) => this.#after(log))
    const made = await localLogList(realm, { open: logs, announced, labelsSeed, ...keys }, listSeed, now)
    const kept = this.#kept.read(realm, made, now)
    await this.#put((kept && (await listWithKeys(kept, made, listSeed, now))) ?? made)
  }

  /** While they run: the next list, if a log was rolled since. */
  async reportRolls(now: number): Promise<void> {
    const rolled = await Promise.all(this.#parts.logs.map((log) => this.#rolled(log)))
    const next = this.#list && (await listAfterRolls(this.#list, rolled, this.#parts.listSeed, now))
    if (next) await this.#put(next)
  }

  #after(log: LocalLog): LocalLog {
    return logAfter(log, this.#parts.nextSeeds?.[log.series] ?? log)
  }

  async #rolled(log: LocalLog): Promise<RolledSeries> {
    const { log: open } = (await this.#checkpoint(log.series)).statement
    const final = (name: string) => this.#checkpoint(log.series, name)
    const period = open.slice(open.lastIndexOf('/') + 1)
    return { series: log.series, open, final, next: this.#after({ ...log, period }) }
  }

  async #checkpoint(series: LogSeries, log?: string): Promise<LogCheckpoint> {
    const { core, keys } = this.#parts.urls
    const query = log === undefined ? '' : `?log=${encodeURIComponent(log)}`
    const response = await fetch(`${series === 'anchors' ? core : keys}${PATHS[series]}${query}`)
    const body = (await response.json()) as { data?: { checkpoint?: unknown } }
    // The directory wraps its answers, core does not.
    return logCheckpointSchema.parse(body.data?.checkpoint ?? body)
  }

  async #put(list: SignedLogList): Promise<void> {
    this.#list = list
    this.#kept.write(list)
    for (const { key, text } of logListFiles(list)) await this.#parts.put(key, text)
  }
}
