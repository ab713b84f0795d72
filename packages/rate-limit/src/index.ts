export { addressKey, networkKey } from './address.ts'
export { EMERGENCY_LIMIT, Limiter, type Metered, type RateLimitBinding, type Verdict } from './limiter.ts'
export { classify, type Quota, quotasOf, type Service } from './tiers.ts'
