/** What the tests of every Worker share: holding responses to what is declared, and the battery over all routes. */
export { EMERGENCY_LIMIT } from '@svc/rate-limit'
export { type BatteryTarget, battery } from './testing/battery.ts'
export { conforms } from './testing/conforms.ts'
export { expectRefusal, forgedAssertion } from './testing/credential-battery.ts'
export { coreAnswering } from './testing/dependency-battery.ts'
export { type GuardTarget, guardBattery, type Replaced } from './testing/guard-battery.ts'
export { ALLOWED_ORIGIN, type Exchange, exhaust, FOREIGN_ORIGIN, type Probe, Prober } from './testing/prober.ts'
export { surface } from './testing/surface.ts'
