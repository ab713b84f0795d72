/** What the tests of every Worker share: holding responses to what is declared, and the battery over all routes. */
export { EMERGENCY_LIMIT } from '@svc/rate-limit'
export { battery } from './testing/battery.ts'
export { expectRefusal, forgedAssertion } from './testing/credential-battery.ts'
export { type Around, databaseAround } from './testing/database.ts'
export { coreAnswering } from './testing/dependency-battery.ts'
export { guardBattery, type Replaced } from './testing/guard-battery.ts'
export { livenessBattery } from './testing/liveness-battery.ts'
export { ALLOWED_ORIGIN, type Exchange, exhaust, FOREIGN_ORIGIN, type Probe, Prober } from './testing/prober.ts'
