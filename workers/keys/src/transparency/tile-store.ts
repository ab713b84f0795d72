import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { Tile, TileName } from '@svc/protocol/merkle/tiles'
import { bundleKey, tileKey } from '../object-keys.ts'

const decoder = new TextDecoder()

/** Tiles and entries of the log in R2. The bytes behind a key never change. */
export class TileStore {
  readonly #bucket: R2Bucket
  readonly #log: string

  constructor(bucket: R2Bucket, log: string) {
    this.#bucket = bucket
    this.#log = log
  }

  async putTile({ bytes, ...tile }: Tile, size: number): Promise<void> {
    await this.#bucket.put(tileKey(this.#log, tile, size), bytes)
  }

  async putBundle(index: number, entries: readonly string[], size: number): Promise<void> {
    await this.#bucket.put(bundleKey(this.#log, index, size), entries.join('\n'))
  }

  /** Throws a fault if a tile that the log has committed is missing; never returns an empty answer. */
  async tile(tile: TileName, size: number): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#get(tileKey(this.#log, tile, size))).arrayBuffer())
  }

  /** JCS is one line. */
  async bundle(index: number, size: number): Promise<string[]> {
    return decoder.decode(await (await this.#get(bundleKey(this.#log, index, size))).arrayBuffer()).split('\n')
  }

  async remove(keys: string[]): Promise<void> {
    await this.#bucket.delete(keys)
  }

  async #get(key: string): Promise<R2ObjectBody> {
    const found = await reaching('tiles', () => this.#bucket.get(key))
    if (!found) throw new DependencyFault('tiles')
    return found
  }
}
