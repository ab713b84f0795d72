import type { Platform } from '@svc/platform'
import type { Figure } from '../figures/figure.ts'
import type { DatabaseServer } from './databases.ts'
import { type Compared, type Ratio, rateOf } from './rounds.ts'

/** What runs beside each other. */
export interface Scene {
  readonly platform: Platform
  /** The folder of the peers' programs. */
  readonly programs: string
  readonly postgres: DatabaseServer | undefined
  readonly redis: DatabaseServer | undefined
}

/** The peer and its work, what it did, what we did, the ratio with its range, and what is not equal. */
export type Line = readonly [string, string, string, string, string]

export interface Lines {
  readonly rows: readonly Line[]
  readonly figures: readonly Figure[]
  /** A line for each peer that could not be had, with the reason. */
  readonly skipped: readonly string[]
}

export const line = (name: string, { theirs, ours, rate, processor }: Compared, unequal: string): Line => [
  name,
  rateOf(theirs),
  rateOf(ours),
  [`${shown(rate)} rate`, ...(Number.isNaN(processor.median) ? [] : [`${shown(processor)} CPU`])].join(', '),
  unequal,
]

export const shown = ({ median, range }: Ratio) => `${number(median)} [${number(range[0])} to ${number(range[1])}]`

const number = (value: number) => value.toPrecision(value < 10 ? 2 : 3)
