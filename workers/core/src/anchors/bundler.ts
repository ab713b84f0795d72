import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { BodyBundles } from './body-bundles.ts'

/** It reads 256 bodies, each by its leaf, and writes one file; an alarm has 1,000 calls. */
const MAX_BUNDLES = 1

/** Makes the bundles of bodies of one log, in order, a few at a time. */
export class Bundler {
  readonly #bundles: Pick<BodyBundles, 'make' | 'count'>
  readonly #log: string
  /** How many there are; read again from R2 after a start and after a failure. */
  #made: number | null = null

  constructor(bundles: Pick<BodyBundles, 'make' | 'count'>, log: string) {
    this.#bundles = bundles
    this.#log = log
  }

  /** False if there is more to do. Idempotent at every step. */
  async run(size: number): Promise<boolean> {
    const full = Math.floor(size / TILE_WIDTH)
    let made = this.#made ?? (await this.#bundles.count(this.#log, full))
    this.#made = null
    const end = Math.min(full, made + MAX_BUNDLES)
    for (; made < end; made++) await this.#bundles.make(this.#log, made)
    this.#made = made
    return made >= full
  }
}
