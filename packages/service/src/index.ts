export { acceptedWeight } from './accept.ts'
export { ApiError } from './api-error.ts'
export { readBytes } from './body.ts'
export { BotChallenge, type ChallengeFacts, TESTING_TOKEN } from './bot-challenge.ts'
export { type ByteRange, namesTag, rangeOf, readRange } from './byte-range.ts'
export { limiterOf, readConfig, type ServiceConfig, serviceConfigSchema } from './config.ts'
export { CounterService } from './counter/counter-service.ts'
export type { Runtime, ServiceDescription } from './description.ts'
export { equalSecrets } from './equal-secrets.ts'
export { escapeHtml } from './escape-html.ts'
export { type Gate, isSpendRefusal, type RefusalNames, spendError } from './gate.ts'
export {
  INTERNAL_HEADER,
  InternalClient,
  type InternalFailure,
  type InternalRoutes,
  internalGate,
} from './internal.ts'
export {
  InternalMacs,
  type InternalSecrets,
  internalSecretFields,
  internalSecretsOf,
} from './internal-secrets.ts'
export { issuesOf } from './issues.ts'
export { livenessRoute } from './liveness.ts'
export {
  type Authorize,
  type DeclaredAnswer,
  defineOperation,
  type Operation,
  route,
  type Window,
} from './operation.ts'
export {
  OPERATOR_ERRORS,
  OperatorActs,
  type OperatorRefusal,
  operatorRefusalError,
  type TakenAct,
} from './operator-acts.ts'
export { OperatorStore } from './operator-store.ts'
export type { Retired } from './retired.ts'
export { createService, type ServiceApp } from './service.ts'
export { CORE_SHAPE, DID_SHAPE, PROVENANCE_SHAPE, SIBLING_SHAPE } from './shapes.ts'
export { SiblingGate } from './sibling-gate.ts'
