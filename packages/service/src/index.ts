export { addressKey, networkKey, quotasOf, type Service } from '@svc/rate-limit'
export { ApiError } from './answer/api-error.ts'
export { IMMUTABLE } from './answer/cache-control.ts'
export { escapeHtml } from './answer/escape-html.ts'
export { JsonText } from './answer/json-text.ts'
export { CORE_SHAPE, DID_SHAPE, PROVENANCE_SHAPE, SIBLING_SHAPE } from './answer/shapes.ts'
export { type StaticFile, StaticFiles } from './answer/static-files.ts'
export { limiterOf, oncePerEnv, readConfig, type ServiceConfig, serviceConfigSchema } from './app/config.ts'
export { type DeclaredAnswer, NO_CONTENT } from './app/declared-answers.ts'
export { internalDescription, type Runtime, type ServiceDescription } from './app/description.ts'
export { livenessRoute, queuesMember } from './app/liveness.ts'
export { type AlarmRecord, answerCall, type DelayedWork, doneOrDelayed, logDelay, raiseAlarm } from './app/log.ts'
export {
  type Authorize,
  DEFAULT_MAX_BODY_BYTES,
  defineOperation,
  gated,
  type Operation,
  route,
} from './app/operation.ts'
export { currentRequestId } from './app/request-id.ts'
export { seedField, seedVersionsOf } from './app/seed-versions.ts'
export { createService, ERROR_HEADER, type ServiceApp } from './app/service.ts'
export { logListKeysOf, serviceKeysOf, signerOf } from './app/service-keys.ts'
export { SharedReads } from './app/shared-reads.ts'
export { SERVICE_AUDIENCES } from './auth/audiences.ts'
export { BotChallenge, type ChallengeFacts, TESTING_TOKEN } from './auth/bot-challenge.ts'
export { equalSecrets } from './auth/equal-secrets.ts'
export { FormChallenge } from './auth/form-challenge.ts'
export { type Gate, isSpendRefusal, REFUSAL_NAMES, type RefusalNames, spendError } from './auth/gate.ts'
export { everyName, KeyedMacs, type VersionedNames } from './auth/keyed-macs.ts'
export { SIBLING_SKEW_MS, SiblingGate } from './auth/sibling-gate.ts'
export { reportEvents } from './internal/event-reports.ts'
export { InceptionLogClient } from './internal/inception-log-client.ts'
export {
  INTERNAL_HEADER,
  InternalClient,
  type InternalFault,
  internalGate,
} from './internal/internal.ts'
export {
  type InternalSecrets,
  internalSecretFields,
  internalSecretsOf,
} from './internal/secrets.ts'
export { StandingClient } from './internal/standing-client.ts'
export { CounterService } from './limits/counter-service.ts'
export type { Window } from './limits/declared-limits.ts'
export { KeptLogs } from './logs/kept-logs.ts'
export {
  configuredLog,
  type LogConfig,
  LogSigners,
  logConfigFields,
  logConfigSchema,
  namespaceOf,
} from './logs/log-config.ts'
export { logListOperation } from './logs/log-list-operation.ts'
export { LogLists, type NoList } from './logs/log-lists.ts'
export { logTile, logTileOperation } from './logs/log-tile-operation.ts'
export { meterInto, writeRow } from './metrics/metrics.ts'
export { type Backlog, backlogIn, Queues } from './metrics/queues.ts'
export { runTrigger } from './metrics/trigger.ts'
export { dueSql, LOOSE_MS, LooseObjects, type Standing } from './objects/loose-objects.ts'
export { type ObjectCommits, objectCommitsOf, objectCommitsRoute } from './objects/object-commits.ts'
export { objectsIn } from './objects/objects-in.ts'
export { type ActPerformer, OperatorActs } from './operator/acts.ts'
export { operatorReadRoute, operatorRoute } from './operator/route.ts'
export { OperatorStore } from './operator/store.ts'
export { TakedownList, type TakedownReads, takedownReadRoute, takedownRoute, takenDown } from './operator/takedowns.ts'
export { ObjectRebuild } from './records/object-rebuild.ts'
export { recordPlaceOf } from './records/record-place.ts'
export { collectionError, refusalOf } from './refusals/collections.ts'
export { issuesOf } from './refusals/issues.ts'
export { acceptedWeight } from './request/accept.ts'
export { readBytes } from './request/body.ts'
export { type ByteRange, namesTag, rangeOf, readRange } from './request/byte-range.ts'
export { WRITES_REQUIRE_ORIGIN } from './request/origins.ts'
export type { Retired } from './request/retired.ts'
