declare module 'vitest' {
  interface ProvidedContext {
    clocks: { readonly seeds: number; readonly first: number; readonly days: number }
  }
}

/** The simulated customers whose tier a run of the tests compares day by day. */
export interface Clocks {
  readonly seeds: number
  /** The first seed. */
  readonly first: number
  readonly days: number
}

const SEEDS = 'SVC_CLOCK_SEEDS'
const FIRST = 'SVC_CLOCK_FIRST'
const DAYS = 'SVC_CLOCK_DAYS'

/** Environment of a run with these customers. */
export function living({ seeds, first, days }: Clocks): Record<string, string> {
  return { [SEEDS]: String(seeds), [FIRST]: String(first), [DAYS]: String(days) }
}

/** Two for some months, unless the environment asks for more. */
export function chosenClocks(): Clocks {
  const { env } = process
  return { seeds: Number(env[SEEDS] ?? 2), first: Number(env[FIRST] ?? 1), days: Number(env[DAYS] ?? 120) }
}
