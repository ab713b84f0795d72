import type { TestGroup } from './groups.ts'

declare module 'vitest' {
  interface ProvidedContext {
    isLong: boolean
  }
}

const IS_LONG = 'SVC_LONG_FORMS'

/** Environment of a run in which tests take their long form. */
export const LONG_FORMS: Readonly<Record<string, string>> = { [IS_LONG]: 'yes' }

/** Whether tests that can be longer or shorter are long. */
export function isLongRun(): boolean {
  return process.env[IS_LONG] === 'yes'
}

/** Files whose tests have a long form, by group. Each is a part of a path below the folder of its project. */
export const LONG_FORMED: readonly (readonly [TestGroup, string])[] = [
  ['core-notes', 'notes/vault/interleavings.test'],
  ['core-notes', 'notes/vault/model.test'],
  ['identity', 'directory/forgetting.test'],
]
