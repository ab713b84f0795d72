import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import type { Tile, TileName } from '@svc/protocol/merkle-tiles'
import { bundleKey, tileKey } from './transparency.ts'

const decoder = new TextDecoder()

/** Tiles and entries of the log in R2. A key holds the same bytes for ever; see `transparency.ts`. */
export class TileStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  async putTile({ bytes, ...tile }: Tile, size: number): Promise<void> {
    await this.#bucket.put(tileKey(tile, size), bytes)
  }

  async putBundle(index: number, entries: readonly string[], size: number): Promise<void> {
    await this.#bucket.put(bundleKey(index, size), entries.join('\n'))
  }

  /** A tile that the log has promised and that is not there is a fault, never an empty answer. */
  async tile(tile: TileName, size: number): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#get(tileKey(tile, size))).arrayBuffer())
  }

  /** JCS is one line. */
  async bundle(index: number, size: number): Promise<string[]> {
    return decoder.decode(await (await this.#get(bundleKey(index, size))).arrayBuffer()).split('\n')
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
