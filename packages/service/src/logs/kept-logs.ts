import {
  type CloseRefusal,
  type EntryBundle,
  KeptTiles,
  LogFiles,
  type LogHead,
  LogReader,
  type OpenLog,
  SeriesLogs,
} from '@svc/log'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { CHECKPOINT_TYPES, type LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { listedLog } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import type { LogEnding, LogOpening, NextLog, RollRefusal } from '@svc/protocol/merkle/roll'
import type { TileName } from '@svc/protocol/merkle/tiles'
import { readConfig } from '../app/config.ts'
import { seedVersionsOf } from '../app/seed-versions.ts'
import { configuredLog, LogSigners, logConfigSchema, namespaceOf } from './log-config.ts'
import { LogLists } from './log-lists.ts'

/** How long a checkpoint of an unchanged log is served again. */
const SIGNED_MS = 1_000

const isAt = ({ statement }: LogCheckpoint, { size, root }: LogHead) =>
  statement.size === size && statement.root === root

/** What is called of the object of a log, the only writer of its order. */
interface LogCalls {
  head(log: string): Promise<LogHead>
  close(log: string, next: NextLog): Promise<Result<LogEnding, CloseRefusal>>
}

/** Where a Worker keeps the logs of one series. */
export interface LogBindings {
  readonly series: LogSeries
  /** The secret that the keys of the logs are derived from; the next version of the seed is the secret `<seed>_2`. */
  readonly seed: string
  readonly bucket: R2Bucket
  /** The objects of the logs, by name. */
  readonly objects: { getByName(log: string): LogCalls }
  /** The key of the labels that this Worker proves; a list with another one is not served. */
  readonly labelKey?: () => string | null
}

/** The logs of one series as the Worker that keeps them sees them: names, files, keys and lists. `C` is their checkpoint. */
export class KeptLogs<C extends LogCheckpoint> {
  readonly all: SeriesLogs
  readonly lists: LogLists
  /** The seed of the configured version; undefined without one. */
  readonly seed: string | undefined
  /** The log of the configuration. Once it is closed, its object leads to the next. */
  readonly configured: string
  readonly #signers: LogSigners
  readonly #tiles = new KeptTiles()
  /** The newest checkpoint that was signed of each log. */
  readonly #signed = new Map<string, C>()
  readonly #bucket: R2Bucket
  readonly #series: LogSeries
  readonly #objects: LogBindings['objects']
  readonly #keyVersion: number

  constructor(env: object, { series, seed, bucket, objects, labelKey }: LogBindings) {
    const config = readConfig(logConfigSchema, env)
    const seeds = seedVersionsOf(env, seed)
    this.#signers = new LogSigners(seeds, config.REALMS)
    this.#bucket = bucket
    this.#series = series
    this.#objects = objects
    this.#keyVersion = config.LOG_KEY_VERSION
    this.seed = seeds.get(config.LOG_KEY_VERSION)
    this.configured = configuredLog(config, series)
    this.all = new SeriesLogs({
      namespace: namespaceOf(config),
      series,
      configured: this.configured,
      bucket,
      head: (log) => this.#ask(log, (object) => object.head(log)),
    })
    this.lists = new LogLists({
      bucket,
      realms: config.REALMS,
      open: async (now) => {
        const { log, head } = await this.all.open()
        return { log, publicKeyB64u: await this.#signers.of({ log, keyVersion: head.keyVersion }).publicKey(now) }
      },
      ...(labelKey && { labelKey }),
    })
  }

  files(log: string): LogFiles {
    return new LogFiles(this.#bucket, log)
  }

  reader(log: string): LogReader {
    return new LogReader(this.files(log), this.#tiles)
  }

  /** One bundle of entries, as far as a log has it, by default the open one: the lines as they were logged. */
  async entries(
    log: string | undefined,
    bundle: number,
  ): Promise<Result<EntryBundle, { readonly reason: 'not_found' }>> {
    if (log !== undefined && !(await this.all.has(log))) return err({ reason: 'not_found' })
    // A full bundle never changes, so its log is not asked.
    const full = log === undefined ? null : await this.reader(log).fullBundle(bundle)
    if (full) return ok(full)
    const found = await this.all.find(log)
    return found ? this.reader(found.log).entries(found.head, bundle) : err({ reason: 'not_found' })
  }

  /** The hashes of a tile, from its file alone: neither the object nor the opening of the log is read. */
  async tile(
    log: string,
    tile: TileName,
    width: number,
  ): Promise<Result<Uint8Array, { readonly reason: 'not_found' }>> {
    const hashes = this.all.isName(log) ? await this.files(log).tileHashes(tile, width) : null
    return hashes ? ok(hashes) : err({ reason: 'not_found' })
  }

  /** Only the log of the configuration begins a series; every other one is opened by the one before it. */
  founding(log: string): Pick<LogOpening, 'keyVersion'> | null {
    return log === this.configured ? { keyVersion: this.#keyVersion } : null
  }

  /**
   * The final checkpoint of a closed log; else one that was signed within the second, so that a crowd of readers costs one
   * signature, or null without the key of the log.
   */
  async checkpoint({ log, head }: OpenLog, now: number): Promise<C | null> {
    if (head.ending) return head.ending.final as C
    const last = this.#signed.get(log)
    if (last && isAt(last, head) && Math.abs(now - last.statement.issuedAt) < SIGNED_MS) return last
    const signed = await this.sign({ log, ...head }, now)
    if (signed) this.#signed.set(log, signed)
    return signed
  }

  async sign(
    { log, keyVersion, size, root }: Pick<LogHead, 'keyVersion' | 'size' | 'root'> & { readonly log: string },
    issuedAt: number,
  ): Promise<C | null> {
    const statement = { type: CHECKPOINT_TYPES[this.#series], log, size, root, issuedAt } as const
    return (await this.#signers.of({ log, keyVersion }).sign(statement)) as C | null
  }

  /**
   * Goes from a log to the next one, which the log list must announce with the key that it will have: clients could not
   * verify it otherwise. Idempotent.
   */
  async roll(log: string, next: NextLog, now: number): Promise<Result<LogEnding, RollRefusal>> {
    const found = await this.all.find(log)
    if (!found) return err({ reason: 'not_found' })
    if (!found.head.ending && !(await this.#isAnnounced(next, now))) return err({ reason: 'log_not_announced' })
    const closed = await this.#ask(log, (object) => object.close(log, next))
    // Opens the next log, so that its key is tried before anybody waits for it.
    if (closed.ok) await this.all.open()
    return closed
  }

  async #isAnnounced(next: NextLog, now: number): Promise<boolean> {
    const list = await this.lists.newest(now)
    const listed = list.ok ? listedLog(list.value.statement, next.log) : null
    const isOwn = listed?.state === 'announced' && listed.series === this.#series
    return isOwn && listed.publicKeyB64u === (await this.#signers.of(next).publicKey(now))
  }

  #ask<T>(log: string, work: (object: LogCalls) => Promise<T>): Promise<T> {
    return reaching(this.#series, async () => work(this.#objects.getByName(log)))
  }
}
