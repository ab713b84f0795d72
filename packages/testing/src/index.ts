export { byHost, type CallerOptions, callerOf, freshCaller, presenterOf, type TestCaller } from './caller.ts'
export { deviceOf, type TestDevice, type TestDeviceOptions } from './device.ts'
export { testIdentity } from './identities.ts'
