/**
 * What the platform promises, per kind of operation, and which alerts tell that a promise is about to be broken.
 * Configuration: change the figures to what you promise your own users.
 *
 * @module
 */
import type { WorkerName } from '@svc/platform/workspace'

export interface Objective {
  /** In the names of its alerts. */
  readonly kind: string
  readonly title: string
  /** Share of requests that are answered, with anything but a 5xx. */
  readonly availability: number
  /** 99 of 100 requests are answered within this time, measured in the Worker. */
  readonly p99Ms: number
  /** Operation ids of the API descriptions. */
  readonly operations: Partial<Record<WorkerName, readonly string[]>>
}

/** Of requests that are answered in time. */
export const LATENCY_TARGET = 0.99

export const OBJECTIVES: readonly Objective[] = [
  {
    kind: 'public-read',
    title: 'Public reads',
    availability: 0.999,
    p99Ms: 400,
    operations: {
      core: ['readGenesis', 'readRoot', 'readKeyHistory', 'readAsset', 'readBanner', 'readDiscovery'],
      consent: ['readConsent', 'checkOptOut', 'readAiConsent'],
      did: ['resolveDid', 'verifyMember'],
      provenance: ['readCommitment', 'readProof', 'readCapabilities'],
      pay: ['listOffers', 'readOffer'],
      docs: ['readHome', 'readDeveloper', 'readDeveloperPage'],
    },
  },
  {
    kind: 'log-read',
    title: 'Reads of logs and proofs',
    availability: 0.999,
    p99Ms: 600,
    operations: {
      core: ['readAnchor', 'readBundle', 'readCheckpoint', 'readConsistency', 'readStateProof', 'listAnchors'],
      keys: ['readCheckpoint', 'auditLog', 'readEntries', 'readProof'],
    },
  },
  {
    kind: 'authenticated-read',
    title: 'Reads with an assertion',
    availability: 0.999,
    p99Ms: 500,
    operations: {
      core: ['readHead', 'listBlocks', 'listNotes', 'readNote', 'listInbox', 'readEvents', 'readStorage'],
      keys: ['listDevicePackages', 'resolveDevicePackage', 'readPrekeyPool'],
      pay: ['readEntitlement', 'readQuota'],
    },
  },
  {
    kind: 'append',
    title: 'Appends to chains and notes',
    availability: 0.999,
    p99Ms: 800,
    operations: { core: ['appendBlock', 'appendNote', 'initGenesis'] },
  },
  {
    kind: 'anchor',
    title: 'Submissions of anchors',
    availability: 0.999,
    p99Ms: 1500,
    operations: { core: ['submitAnchor'] },
  },
  {
    kind: 'consent-write',
    title: 'Acts of consent',
    availability: 0.999,
    p99Ms: 1000,
    operations: { consent: ['createConsent', 'updateConsent', 'deleteConsent'] },
  },
  {
    kind: 'prekey-reservation',
    title: 'Reservations of prekeys',
    availability: 0.999,
    p99Ms: 1500,
    operations: { keys: ['reserveDevicePrekey'] },
  },
  {
    kind: 'search',
    title: 'Searches and queries',
    availability: 0.995,
    p99Ms: 2500,
    operations: {
      provenance: ['queryText', 'searchFragment', 'searchSemantic', 'searchVideo', 'searchVideoFragment'],
    },
  },
  {
    kind: 'sign-in',
    title: 'Sign-in',
    availability: 0.999,
    p99Ms: 1500,
    operations: {
      auth: ['beginOpaqueLogin', 'finishOpaqueLogin', 'authenticatePasskey', 'readSession', 'verifyTicket'],
    },
  },
  {
    kind: 'quota',
    title: 'Use of quotas',
    availability: 0.999,
    p99Ms: 1000,
    operations: { pay: ['consumeQuota', 'refundQuota'] },
  },
]

export interface BurnRule {
  readonly speed: 'fast' | 'slow'
  readonly longMinutes: number
  /** Ends the alert soon after the fault ends. */
  readonly shortMinutes: number
  /** How many times faster than allowed the budget of 30 days is spent. */
  readonly burnRate: number
}

/** Of the SRE workbook: 2 % of the budget of 30 days in an hour, and 5 % in six. */
export const BURN_RULES: readonly [BurnRule, ...BurnRule[]] = [
  { speed: 'fast', longMinutes: 60, shortMinutes: 5, burnRate: 14.4 },
  { speed: 'slow', longMinutes: 360, shortMinutes: 30, burnRate: 6 },
]

/** Fewer bad answers in the long window ring nothing: one of ten at night does not mean an outage. */
export const MIN_BAD = 5

export interface QueueRule {
  readonly service: WorkerName
  readonly queue: string
  readonly maxAgeMinutes: number
}

/** What a service measures by itself. Older than this means that its delivery has stopped. */
export const QUEUE_RULES: readonly QueueRule[] = [
  { service: 'core', queue: 'anchor events', maxAgeMinutes: 120 },
  { service: 'core', queue: 'invitations', maxAgeMinutes: 120 },
  { service: 'keys', queue: 'account map', maxAgeMinutes: 2 },
  { service: 'pay', queue: 'dead letters', maxAgeMinutes: 1440 },
  { service: 'pay', queue: 'payment events', maxAgeMinutes: 120 },
  { service: 'provenance', queue: 'vector checks', maxAgeMinutes: 180 },
  { service: 'provenance', queue: 'vector removals', maxAgeMinutes: 360 },
]

export interface DelayRule {
  readonly withinMinutes: number
  /** Between the first and the last failure: one that passes by itself is shorter. */
  readonly lastingMinutes: number
}

export const DELAY_RULE: DelayRule = { withinMinutes: 60, lastingMinutes: 10 }
/** Work of a trigger fails once in a run, or not at all. */
export const DELAY_RULES: Readonly<Record<string, DelayRule>> = {
  'payment events': { withinMinutes: 180, lastingMinutes: 60 },
  'vector index': { withinMinutes: 180, lastingMinutes: 60 },
}

export interface RunRule {
  readonly service: WorkerName
  readonly run: string
  readonly everyMinutes: number
}

/** The cron triggers. One that was not done for two and a half times its period is missing. */
export const RUN_RULES: readonly RunRule[] = [
  { service: 'consent', run: 'five minutes', everyMinutes: 5 },
  { service: 'core', run: 'hourly', everyMinutes: 60 },
  { service: 'keys', run: 'hourly', everyMinutes: 60 },
  { service: 'pay', run: 'daily', everyMinutes: 1440 },
  { service: 'pay', run: 'hourly', everyMinutes: 60 },
  { service: 'provenance', run: 'hourly', everyMinutes: 60 },
]
export const MISSING_AFTER_PERIODS = 2.5

/** How long a line with `alarm` rings. */
export const ALARM_MINUTES = 60
