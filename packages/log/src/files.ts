import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { HASH_BYTES } from '@svc/protocol/base/labels'
import { type LogCheckpoint, logCheckpointSchema } from '@svc/protocol/merkle/checkpoint'
import { type LogOpening, logOpeningSchema, type NextLog, nextLogSchema } from '@svc/protocol/merkle/roll'
import { TILE_WIDTH, type Tile, type TileName, tileWidth } from '@svc/protocol/merkle/tiles'

/** How long the log waits for R2. What was written all the same is found at the next attempt. */
const DEADLINE_MS = 20_000
/** The most keys that R2 deletes per call. */
const MAX_REMOVED = 1_000
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A batch as it was decided: the checkpoint after it, and its entries. */
export interface HeadFile {
  readonly batch: number
  readonly checkpoint: LogCheckpoint
  readonly entries: readonly string[]
  /** Of the last batch of a log that was closed. */
  readonly next: NextLog | null
}

/** What is read and written of a bucket. */
export type LogBucket = Pick<R2Bucket, 'get' | 'put' | 'head' | 'list' | 'delete'>

/** `logs/` is never changed and never deleted, so the bucket may lock it. Heads are deleted after weeks, edges within minutes. */
const FOLDERS = { kept: 'logs/', heads: 'log-heads/', edges: 'log-edges/' } as const

/** The folders of a log in its bucket. */
export function logPrefixes(log: string) {
  return {
    tiles: `${FOLDERS.kept}${log}/tile/`,
    entries: `${FOLDERS.kept}${log}/entries/`,
    /** One file. */
    opening: `${FOLDERS.kept}${log}/opening`,
    heads: `${FOLDERS.heads}${log}/`,
    /** Tiles and bundles that are not full. */
    edges: `${FOLDERS.edges}${log}/`,
  } as const
}

function keyOfTile(log: string, { level, index }: TileName, width: number): string {
  const { tiles, edges } = logPrefixes(log)
  return width === TILE_WIDTH ? `${tiles}${level}/${index}` : `${edges}tile/${level}/${index}.p/${width}`
}

function tileKey(log: string, tile: TileName, size: number): string {
  return keyOfTile(log, tile, tileWidth(size, tile))
}

/** The bundle of the entries that are hashed in tile `0/index`. */
function bundleKey(log: string, index: number, size: number): string {
  const { entries, edges } = logPrefixes(log)
  const width = tileWidth(size, { level: 0, index })
  return width === TILE_WIDTH ? `${entries}${index}` : `${edges}entries/${index}.p/${width}`
}

/** The prefix of the names of all logs of a series. */
function seriesPrefix(log: string): string {
  return log.slice(0, log.lastIndexOf('/') + 1)
}

function headKey(log: string, batch: number): string {
  return `${logPrefixes(log).heads}${batch}`
}

/** The keys of a log's partial tiles and bundle: obsolete once the log has grown beyond them. */
export function edgeKeys(log: string, size: number): string[] {
  const keys: string[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const index = Math.floor(hashes / TILE_WIDTH)
    if (hashes % TILE_WIDTH === 0) continue
    keys.push(tileKey(log, { level, index }, size))
    if (level === 0) keys.push(bundleKey(log, index, size))
  }
  return keys
}

async function linesOf(bundle: R2ObjectBody): Promise<string[]> {
  return decoder.decode(await bundle.arrayBuffer()).split('\n')
}

/**
 * A log in R2. A head is written once and decides what its batch is; tiles and bundles follow from the heads, so that
 * every write of a key has the same bytes, and a full tile is written once. A partial tile has its width in its key.
 */
export class LogFiles {
  readonly #bucket: LogBucket
  readonly log: string

  constructor(bucket: LogBucket, log: string) {
    this.#bucket = bucket
    this.log = log
  }

  /** Null for a log that was not opened. */
  async opening(): Promise<LogOpening | null> {
    const found = await this.#do(() => this.#bucket.get(logPrefixes(this.log).opening))
    return found && logOpeningSchema.parse(await found.json())
  }

  /** Opens a log of the same bucket. Idempotent; throws a fault if it was opened in another way. */
  async open(log: string, opening: LogOpening): Promise<void> {
    const text = JSON.stringify(opening)
    if (await this.#create(logPrefixes(log).opening, text)) return
    const found = await new LogFiles(this.#bucket, log).opening()
    if (found?.entry !== opening.entry || found.keyVersion !== opening.keyVersion)
      throw new DependencyFault('log', { cause: new Error(`${log} was opened in another way`) })
  }

  /** Whether the series has a log, this one or another. */
  async isSeriesBegun(): Promise<boolean> {
    const prefixes = Object.values(FOLDERS).map((folder) => folder + seriesPrefix(this.log))
    const found = await this.#do(() => Promise.all(prefixes.map((prefix) => this.#bucket.list({ prefix, limit: 1 }))))
    return found.some(({ objects }) => objects.length > 0)
  }

  /** False if the batch has a head already. */
  async putHead({ batch, checkpoint, entries, next }: HeadFile): Promise<boolean> {
    const text = [JSON.stringify({ batch, checkpoint, next }), ...entries].join('\n')
    return this.#create(headKey(this.log, batch), text)
  }

  async hasHead(batch: number): Promise<boolean> {
    return (await this.#do(() => this.#bucket.head(headKey(this.log, batch)))) !== null
  }

  async head(batch: number): Promise<HeadFile | null> {
    const found = await this.#do(() => this.#bucket.get(headKey(this.log, batch)))
    if (!found) return null
    const [first = '', ...entries] = decoder.decode(await found.arrayBuffer()).split('\n')
    const { checkpoint, next } = JSON.parse(first) as Record<string, unknown>
    return {
      batch,
      checkpoint: logCheckpointSchema.parse(checkpoint),
      entries,
      next: nextLogSchema.nullable().parse(next),
    }
  }

  /** Whether any head of the log is there. */
  async hasHeads(): Promise<boolean> {
    const { objects } = await this.#do(() => this.#bucket.list({ prefix: logPrefixes(this.log).heads, limit: 1 }))
    return objects.length > 0
  }

  async removeHeads(from: number, to: number): Promise<void> {
    await this.remove(Array.from({ length: Math.max(0, to - from) }, (_, i) => headKey(this.log, from + i)))
  }

  async putTile({ bytes, ...tile }: Tile, size: number): Promise<void> {
    await this.#put(tileKey(this.log, tile, size), bytes, tileWidth(size, tile))
  }

  async putBundle(index: number, entries: readonly string[], size: number): Promise<void> {
    const bytes = encoder.encode(entries.join('\n'))
    await this.#put(bundleKey(this.log, index, size), bytes, tileWidth(size, { level: 0, index }))
  }

  /** Throws a fault if a tile that the log has committed is missing; never returns an empty answer. */
  async tile(tile: TileName, size: number): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#get(tileKey(this.log, tile, size))).arrayBuffer())
  }

  /**
   * The hashes of a tile of this width, without the roots of its subtrees, which readers compute; null if it is not there.
   * A tile is written after the head that decides its leaves.
   */
  async tileHashes(tile: TileName, width: number): Promise<Uint8Array | null> {
    const range = { offset: 0, length: width * HASH_BYTES }
    return this.#do(async () => {
      const found = await this.#bucket.get(keyOfTile(this.log, tile, width), { range })
      return found && new Uint8Array(await found.arrayBuffer())
    })
  }

  /** JCS is one line. */
  async bundle(index: number, size: number): Promise<string[]> {
    return linesOf(await this.#get(bundleKey(this.log, index, size)))
  }

  /** Null for a bundle that is not full. */
  async fullBundle(index: number): Promise<string[] | null> {
    const key = bundleKey(this.log, index, (index + 1) * TILE_WIDTH)
    const found = await this.#do(() => this.#bucket.get(key))
    return found && linesOf(found)
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let i = 0; i < keys.length; i += MAX_REMOVED) {
      await this.#do(() => this.#bucket.delete(keys.slice(i, i + MAX_REMOVED)))
    }
  }

  /** False if the key has an object already, which stays. */
  #create(key: string, value: string | Uint8Array): Promise<boolean> {
    return this.#do(() => createObject(this.#bucket, key, value))
  }

  async #put(key: string, bytes: Uint8Array, width: number): Promise<void> {
    if (width === TILE_WIDTH) await this.#create(key, bytes)
    else await this.#do(() => this.#bucket.put(key, bytes))
  }

  async #get(key: string): Promise<R2ObjectBody> {
    const found = await this.#do(() => this.#bucket.get(key))
    if (!found) throw new DependencyFault('tiles')
    return found
  }

  /** Throws a fault if R2 fails or takes too long. */
  async #do<T>(work: () => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new DependencyFault('tiles')), DEADLINE_MS)
    try {
      return await reaching('tiles', () => Promise.race([work(), late.promise]))
    } finally {
      clearTimeout(timer)
    }
  }
}
