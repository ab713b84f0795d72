/** Some 12 kB each. */
const MAX_TILES = 64

/** Tiles that were read lately, by the root that commits to them: what is under a root never changes. */
export class KeptTiles {
  readonly #tiles = new Map<string, Uint8Array>()

  async get(key: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const tile = this.#tiles.get(key) ?? (await read())
    // The one that was used last is at the end.
    this.#tiles.delete(key)
    this.#tiles.set(key, tile)
    const [oldest] = this.#tiles.keys()
    if (this.#tiles.size > MAX_TILES && oldest !== undefined) this.#tiles.delete(oldest)
    return tile
  }
}
