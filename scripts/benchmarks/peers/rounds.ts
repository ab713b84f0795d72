import { closeIdle } from '@svc/platform/callers/send'
import type { Figure } from '../figures/figure.ts'
import { median } from '../figures/load.ts'

/** What one side did in a round. */
export interface Take {
  readonly count: number
  readonly milliseconds: number
  /** Of the servers; NaN where it cannot be read. */
  readonly processorMs: number
}

export interface Side {
  readonly perSecond: number
  /** Milliseconds of processor time for each. */
  readonly processor: number
}

/** A ratio of the two sides: its median over the rounds, the smallest and the largest. */
export interface Ratio {
  readonly median: number
  readonly range: readonly [number, number]
}

export interface Compared {
  readonly theirs: Side
  readonly ours: Side
  readonly rate: Ratio
  readonly processor: Ratio
}

/** A first round of warm-up, and then in turn, so that other load on the machine affects both. */
export async function compare(
  rounds: number,
  sides: { readonly theirs: () => Promise<Take>; readonly ours: () => Promise<Take> },
): Promise<Compared> {
  const taken: { theirs: Side; ours: Side }[] = []
  const one = async (side: 'theirs' | 'ours') => {
    // The other side took seconds.
    closeIdle()
    return sideOf(await sides[side]())
  }
  for (let round = 0; round <= rounds; round++) {
    const isOursFirst = round % 2 === 1
    const first = await one(isOursFirst ? 'ours' : 'theirs')
    const second = await one(isOursFirst ? 'theirs' : 'ours')
    if (round > 0) taken.push(isOursFirst ? { ours: first, theirs: second } : { ours: second, theirs: first })
  }
  return {
    theirs: middle(taken.map(({ theirs }) => theirs)),
    ours: middle(taken.map(({ ours }) => ours)),
    rate: ratioOf(taken.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond)),
    processor: ratioOf(taken.map(({ ours, theirs }) => ours.processor / theirs.processor)),
  }
}

export function ratioOf(ratios: readonly number[]): Ratio {
  return { median: median(ratios), range: [Math.min(...ratios), Math.max(...ratios)] }
}

/** A ratio with its bar. Without a processor's time there is no figure. */
export function figure(name: string, ratio: Ratio, bar: NonNullable<Figure['bar']>, detail: string): Figure[] {
  return Number.isNaN(ratio.median) ? [] : [{ name, ratio: ratio.median, range: ratio.range, bar, detail }]
}

export const rateOf = ({ perSecond, processor }: Side) =>
  `${perSecond.toFixed(0)}/s${Number.isNaN(processor) ? '' : `, ${processor.toFixed(2)} ms CPU`}`

function sideOf({ count, milliseconds, processorMs }: Take): Side {
  return { perSecond: (count / milliseconds) * 1_000, processor: processorMs / count }
}

function middle(sides: readonly Side[]): Side {
  return {
    perSecond: median(sides.map(({ perSecond }) => perSecond)),
    processor: median(sides.map(({ processor }) => processor)),
  }
}
