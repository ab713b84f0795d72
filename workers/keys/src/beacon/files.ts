import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { entryBundle, type TilePath, tileBytes } from '@svc/tlog/tiles'
import { beaconHeadKey, beaconTileKey } from '../object-keys.ts'

/** A leaf as it was decided, with the text of the checkpoint over it. */
export interface DecidedHead {
  readonly text: string
  readonly entry: string
}

const encoder = new TextEncoder()

/** The beacon in R2. The bytes behind a key never change; a head is created once and decides what its leaf is. */
export class BeaconFiles {
  readonly #bucket: R2Bucket
  readonly #origin: string

  constructor(bucket: R2Bucket, origin: string) {
    this.#bucket = bucket
    this.#origin = origin
  }

  async head(index: number): Promise<DecidedHead | null> {
    const found = await reaching('tiles', () => this.#bucket.get(beaconHeadKey(this.#origin, index)))
    return found && reaching('tiles', () => found.json<DecidedHead>())
  }

  /** False if the leaf is decided already. */
  async decide(index: number, head: DecidedHead): Promise<boolean> {
    const key = beaconHeadKey(this.#origin, index)
    return reaching('tiles', () => createObject(this.#bucket, key, JSON.stringify(head)))
  }

  async putTile(tile: Omit<TilePath, 'width'>, hashes: readonly Uint8Array[]): Promise<void> {
    await this.#create(tile, tileBytes(hashes))
  }

  async putBundle(index: number, entries: readonly string[]): Promise<void> {
    const bytes = entryBundle(entries.map((entry) => encoder.encode(entry)))
    await this.#create({ level: 'entries', index }, bytes)
  }

  /** A full tile or bundle that the beacon has; a fault if it is missing. */
  async tile(tile: Omit<TilePath, 'width'>): Promise<Uint8Array> {
    const found = await reaching('tiles', () => this.#bucket.get(beaconTileKey(this.#origin, tile)))
    if (!found) throw new DependencyFault('tiles')
    return new Uint8Array(await reaching('tiles', () => found.arrayBuffer()))
  }

  async #create(tile: Omit<TilePath, 'width'>, bytes: Uint8Array): Promise<void> {
    await reaching('tiles', () => createObject(this.#bucket, beaconTileKey(this.#origin, tile), bytes))
  }
}
