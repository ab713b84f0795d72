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
