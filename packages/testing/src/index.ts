export { type CallerOptions, callerOf, type TestCaller } from './caller.ts'
export { testIdentity } from './identities.ts'
