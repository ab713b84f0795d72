export { audiencesOf } from './audience.ts'
export { type Capability, capabilityOf, listedRoutes } from './capability.ts'
export { type AssertionRequest, type AssertionSigner, makeAssertion, signPayload } from './make.ts'
export { type AssertionPayload, MAX_LIFETIME_MS, PURPOSE, SCHEME } from './payload.ts'
export type { Caller, SpendRefusal } from './spend.ts'
export {
  type AssertedRequest,
  type AssertionPolicy,
  type AssertionRefusal,
  GENERAL_NONCE,
  type VerifiedAssertion,
  verifyAssertion,
} from './verify.ts'
