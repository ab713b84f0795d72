import { toHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { MerkleLog } from '@svc/protocol/merkle/log'
import { overTiles, TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { LogHead } from './answers.ts'
import type { LogFiles } from './files.ts'
import type { KeptTiles } from './kept-tiles.ts'

export interface EntryBundle {
  readonly log: string
  readonly from: number
  readonly entries: string[]
  readonly size: number
}

type OutOfRange = { readonly reason: 'not_found' }

/** Proofs of one log: its object gives the head, and the immutable tiles give the rest. */
export class LogReader {
  readonly #files: LogFiles
  readonly #tiles: KeptTiles | undefined

  constructor(files: LogFiles, tiles?: KeptTiles) {
    this.#files = files
    this.#tiles = tiles
  }

  /** The audit path of a leaf, lowest sibling first, when the log had a size. */
  inclusion(head: LogHead, index: number, size: number = head.size): Promise<string[]> {
    return this.#over(head, (log) => log.inclusion(index, size).map(toHex))
  }

  /** That the first leaves are a prefix of the log at `second`. */
  async consistency(head: LogHead, first: number, second: number): Promise<Result<string[], OutOfRange>> {
    if (first < 1 || first > second || second > head.size) return err({ reason: 'not_found' })
    return ok(await this.#over(head, (log) => log.consistency(first, second).map(toHex)))
  }

  /** The root when the log had this size. */
  async root(head: LogHead, size: number): Promise<string> {
    return size === head.size ? head.root : this.#over(head, (log) => toHex(log.root(size)))
  }

  /** A full bundle, for which the log need not be asked; null for one that the log has not filled, or not yet. */
  async fullBundle(bundle: number): Promise<EntryBundle | null> {
    const entries = await this.#files.fullBundle(bundle)
    return entries && { log: this.#files.log, from: bundle * TILE_WIDTH, entries, size: (bundle + 1) * TILE_WIDTH }
  }

  /** One bundle of entries, as far as the log has it: the lines as they were logged. */
  async entries({ size }: LogHead, bundle: number): Promise<Result<EntryBundle, OutOfRange>> {
    const from = bundle * TILE_WIDTH
    if (from >= size) return err({ reason: 'not_found' })
    const entries = await this.#files.bundle(bundle, size)
    // A full bundle is cached for good, so it has nothing that changes.
    const end = entries.length === TILE_WIDTH ? from + TILE_WIDTH : size
    return ok({ log: this.#files.log, from, entries, size: end })
  }

  #over<T>(head: LogHead, work: (log: MerkleLog) => T): Promise<T> {
    return overTiles(head, work, (tile) => {
      const read = () => this.#files.tile(tile, head.size)
      return this.#tiles?.get(`${head.root} ${tile.level}/${tile.index}`, read) ?? read()
    })
  }
}
