import { type Counts, RESOURCES } from '@svc/site/costs/prices'

/** Alarms and caches are shared by operations that happen to meet, so the average of a few varies by less than this. */
const TOLERANCE = 0.5
/** How many rows are read also depends on what is stored by then, and on the names that chance has chosen. */
const READ_TOLERANCE = (was: number) => 20 + was / 2

export interface Change {
  readonly operation: string
  readonly line: string
  readonly hasGrown: boolean
}

/** What differs between the counts in the repository and those of now. */
export function changesOf(recorded: Readonly<Record<string, Counts>>, measured: ReadonlyMap<string, Counts>): Change[] {
  const names = new Set([...Object.keys(recorded), ...measured.keys()])
  return [...names].flatMap((operation): Change[] => {
    const [before, now] = [recorded[operation], measured.get(operation)]
    if (!before) return [{ operation, line: `${operation}: is not recorded`, hasGrown: true }]
    if (!now) return [{ operation, line: `${operation}: is recorded, and is not measured any more`, hasGrown: false }]
    return RESOURCES.flatMap((resource) => {
      const [was = 0, is = 0] = [before[resource], now[resource]]
      const tolerance = resource === 'rowsRead' ? READ_TOLERANCE(was) : TOLERANCE
      if (Math.abs(is - was) <= tolerance) return []
      return [{ operation, line: `${operation}: ${resource} ${was} → ${is}`, hasGrown: is > was }]
    })
  })
}
