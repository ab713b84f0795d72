import type { Show } from './world.ts'

export interface Report {
  readonly show: Show
  /** Whether every step so far gave its expected result. */
  readonly passed: () => boolean
}

/** Runs steps and prints one line for each. A step that throws gives its error as the result, and the next one runs. */
export function reportTo(print: (line: string) => void): Report {
  let passed = true
  return {
    passed: () => passed,
    async show(what, expected, act) {
      const came = await act().catch((error: unknown) =>
        error instanceof Error ? `${error.name}: ${error.message}` : 'a fault',
      )
      const ok = came === expected
      passed &&= ok
      // Steps that must fail show both values: only the expected refusal counts.
      const outcome = ok && !what.startsWith('must fail') ? came : `expected ${expected}, came ${came}`
      print(`${ok ? 'ok  ' : 'FAIL'} ${what.padEnd(68)} ${outcome}`)
    },
  }
}
