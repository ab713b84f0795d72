declare module 'vitest' {
  interface ProvidedContext {
    games: { readonly random: number; readonly seed: number; readonly solvesAll: boolean }
  }
}

/** The games of owner and thief that a run of the tests plays and solves. */
export interface Games {
  /** How many are played with the real service, at random. */
  readonly random: number
  /** Of the first. */
  readonly seed: number
  /** Whether those are solved that take seconds each. */
  readonly solvesAll: boolean
}

const RANDOM = 'SVC_RANDOM_GAMES'
const SEED = 'SVC_RANDOM_SEED'
const SOLVES_ALL = 'SVC_SOLVES_ALL'

/** Some tens, and the quick ones, unless the environment asks for more. */
export function chosenGames(): Games {
  const { env } = process
  return { random: Number(env[RANDOM] ?? 20), seed: Number(env[SEED] ?? 1), solvesAll: env[SOLVES_ALL] === 'yes' }
}

/** Environment of a run with these games. */
export function playing({ random, seed, solvesAll }: Games): Record<string, string> {
  return { [RANDOM]: String(random), [SEED]: String(seed), [SOLVES_ALL]: solvesAll ? 'yes' : 'no' }
}
