export { audiencesOf } from './audience.ts'
export { capabilityOf, listedRoutes, type RouteCapability } from './capability.ts'
export { checkDevice, type DeviceRefusal, type DeviceStanding, mayUse } from './device.ts'
export {
  type AssertionRequest,
  type AssertionSigner,
  type DeviceSigner,
  makeAssertion,
  makeDeviceAssertion,
  signPayload,
} from './make.ts'
export {
  type AssertionPayload,
  DEVICE_PURPOSE,
  type DevicePayload,
  MAX_LIFETIME_MS,
  PURPOSE,
  SCHEME,
} from './payload.ts'
export type { Caller, SpendRefusal } from './spend.ts'
export {
  type AssertedRequest,
  type AssertionPolicy,
  type AssertionRefusal,
  type DeviceClaim,
  GENERAL_NONCE,
  type VerifiedAssertion,
  verifyAssertion,
} from './verify.ts'
