import type { LogHead } from '@svc/log'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { CallBudget } from './calls.ts'
import type { LogPlace } from './map-store.ts'
import type { MapLogs } from './ports.ts'

/** Leaves that are read per step: 16 bundles, and at most 2 MB for one bucket. */
export const STEP_LEAVES = 4_096

/** Entries in order, and where the next ones begin. */
export interface WalkStep {
  readonly from: LogPlace
  readonly to: LogPlace
  readonly lines: readonly string[]
}

/** Reads the logs from a place on, a step at a time, and counts the calls. */
export class LogWalk {
  readonly #logs: MapLogs
  readonly #budget: CallBudget

  constructor(logs: MapLogs, budget: CallBudget) {
    this.#logs = logs
    this.#budget = budget
  }

  head(log: string): Promise<LogHead> {
    this.#budget.spend(1)
    return this.#logs.head(log)
  }

  /** The entries after `from`, before `end` of the same log. */
  async step(from: LogPlace, head: LogHead, end: number): Promise<WalkStep> {
    const { log, size } = from
    const until = Math.min(size + STEP_LEAVES, end)
    this.#budget.spend(Math.ceil(until / TILE_WIDTH) - Math.floor(size / TILE_WIDTH))
    return { from, to: { log, size: until }, lines: await this.#logs.entries(log, head, size, until) }
  }
}
