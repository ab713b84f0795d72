export { byHost, type CallerOptions, callerOf, freshCaller, type TestCaller } from './caller.ts'
export { testIdentity } from './identities.ts'
