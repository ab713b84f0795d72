/**
 * What a stranger can make the platform do in a day: each row is a product of limits that the code enforces. Routes and
 * tiers come from the OpenAPI documents, the rest from the constants themselves.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_EVENT_HOOKS, MAX_HOOK_DELIVERIES } from '@svc/protocol/events/hooks'
import { MAX_EVENT_SOCKETS, MAX_EVENT_TICKETS } from '@svc/protocol/events/socket'
import { MAX_CODE_SENDS } from '@svc/protocol/inbox/inbox'
import { MAX_POOL } from '@svc/protocol/keys/directory'
import { TIER_BUDGETS, TIER_LIMITS } from '@svc/protocol/pay/tiers'
import { MAX_CAPSULE_BYTES } from '@svc/protocol/provenance/capsules'
import { MAX_COMMITMENTS } from '@svc/protocol/provenance/commitments'
import { MAX_BATCH_ITEMS } from '@svc/protocol/provenance/signature-check'
import { quotasOf, type Service } from '@svc/rate-limit'
import { REGISTRATION_MAIL } from '../../../workers/auth/src/opaque/mail-limits.ts'
import { FETCHES } from '../../../workers/core/src/ipfs/fetch-limit.ts'
import { MAX_FILE_BYTES } from '../../../workers/core/src/ipfs/unixfs-file.ts'
import { MAX_OPEN_INTENTS } from '../../../workers/pay/src/intents/rules.ts'
import { ROOT } from '../root.ts'

export interface CostRow {
  readonly who: 'an address' | 'a free identity'
  readonly does: 'store' | 'hold' | 'compute' | 'fetch' | 'send'
  readonly what: string
  readonly factors: readonly { readonly value: number; readonly of: string }[]
  readonly unit:
    | 'bytes'
    | 'records'
    | 'identities'
    | 'requests'
    | 'blocks'
    | 'mails'
    | 'signatures'
    | 'sockets'
    | 'messages'
}

interface RateLimit {
  readonly window: number
  readonly tierLimit: number
  readonly routeLimit?: number
  readonly routeWindow?: { readonly limit: number; readonly seconds: number }
}

const DAY_SECONDS = 86_400
const SERVICES: readonly Service[] = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']
/** A signed act of consent with its key and its place in the history. */
const ACT_BYTES = 5_000
/** A vector of 128 bits with its place in the index. */
const CHUNK_BYTES = 64
const PREKEY_BYTES = 1_600
const INTENT_BYTES = 2_048
/** A row with its indexes. */
const COMMITMENT_BYTES = 512
/** Two ids, a hash and a time. */
const FEED_EVENT_BYTES = 512

/** A hash, who it is for and a time. */
const TICKET_BYTES = 512
/** An address, and how far it was told. */
const HOOK_BYTES = 1_024
/** Proofs that core asks of addresses for one identity, in a day. */
const HOOK_PROOFS = 240

const times = (value: number, of: string) => ({ value, of })

/** How often an address can ask an operation in a day. */
export function perDay(service: Service, operation: string): number {
  const { window, tierLimit, routeLimit, routeWindow } = limitOf(service, operation)
  const byRoute = (Math.min(tierLimit, routeLimit ?? tierLimit) * DAY_SECONDS) / window
  return routeWindow ? Math.min(byRoute, (routeWindow.limit * DAY_SECONDS) / routeWindow.seconds) : byRoute
}

function limitOf(service: Service, operation: string): RateLimit {
  const document = JSON.parse(readFileSync(join(ROOT, 'workers', service, 'openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as {
    readonly operationId?: string
    readonly 'x-rate-limit'?: RateLimit
  }[]
  const limit = operations.find(({ operationId }) => operationId === operation)?.['x-rate-limit']
  if (!limit) throw new Error(`${service} has no metered operation ${operation}`)
  return limit
}

const FREE = TIER_BUDGETS.notes

/** What one free identity can keep. */
const KEPT: readonly (readonly [what: string, ...factors: CostRow['factors']])[] = [
  ['chain, devices, notes, pins, assets and anchors', times(FREE.storedBytes, '`storedBytes`')],
  ['keypoints', times(FREE.keypointBytes, '`keypointBytes`')],
  [
    'capsules, in a year',
    times(TIER_LIMITS.notes.capsule, 'units `capsule` a month'),
    times(12, 'months'),
    times(MAX_CAPSULE_BYTES, 'bytes of a capsule'),
  ],
  ['chunks in the search index', times(FREE.searchChunks, '`searchChunks`'), times(CHUNK_BYTES, 'bytes of a chunk')],
  ['signed acts of consent', times(FREE.consentActs, '`consentActs`'), times(ACT_BYTES, 'bytes of an act')],
  ['commitments', times(MAX_COMMITMENTS, 'commitments'), times(COMMITMENT_BYTES, 'bytes of a commitment')],
  ['events of the feed', times(FREE.feedEvents, '`feedEvents`'), times(FEED_EVENT_BYTES, 'bytes of an event')],
  [
    'tickets for WebSockets, for 30 seconds',
    times(MAX_EVENT_TICKETS, 'tickets'),
    times(TICKET_BYTES, 'bytes of a ticket'),
  ],
  ['web hooks', times(MAX_EVENT_HOOKS, 'hooks'), times(HOOK_BYTES, 'bytes of a hook')],
  ['prekeys that are left', times(MAX_POOL, 'prekeys'), times(PREKEY_BYTES, 'bytes of a prekey')],
  ['payments that are open', times(MAX_OPEN_INTENTS, 'intents'), times(INTENT_BYTES, 'bytes of an intent')],
]

function rowsOfAddress(): readonly Omit<CostRow, 'who'>[] {
  const identities = times(perDay('core', 'initGenesis'), '`POST /api/genesis/init`')
  const kept = KEPT.reduce((sum, [, ...factors]) => sum + productOf({ factors }), 0)
  const allTiers = SERVICES.flatMap((service) => quotasOf(service)).reduce((sum, { limit }) => sum + limit, 0)
  const signatures = [
    times(perDay('provenance', 'verifyBatch'), '`POST /api/verify/batch`'),
    times(MAX_BATCH_ITEMS, 'signatures in a batch'),
  ]
  const row = (does: CostRow['does'], what: string, unit: CostRow['unit'], ...factors: CostRow['factors']) => ({
    does,
    what,
    unit,
    factors,
  })
  const invites = times(perDay('core', 'requestInvite'), '`POST /invite-request`')
  const registrations = times(perDay('auth', 'finishOpaqueRegistration'), '`POST /api/auth/opaque/register/finish`')
  const requests = [times(allTiers, 'limits of all tiers'), times(DAY_SECONDS / 60, 'minutes')]
  const fetches = [
    times(FETCHES.limit, 'files, exactly, from every location'),
    times(MAX_FILE_BYTES, 'bytes of a file'),
  ]
  const mails = [
    times(perDay('core', 'requestContact'), '`POST /api/inbox/contact-request`'),
    times(MAX_CODE_SENDS, 'codes of a request'),
  ]
  const registrationMails = [times(REGISTRATION_MAIL.caller.limit, 'mails an hour, exactly'), times(24, 'hours')]
  const tickets = times(perDay('core', 'issueEventTicket'), '`POST /api/events/tickets`')
  const wakes = [times(perDay('core', 'placeHold'), '`POST /api/security/hold`'), times(MAX_EVENT_SOCKETS, 'sockets')]
  return [
    row('store', 'identities, for good', 'identities', identities),
    row('store', 'what all of them can keep', 'bytes', identities, times(kept, 'bytes of one, below')),
    row('store', 'requests for an invitation, for 90 days', 'records', invites),
    row('store', 'accounts at sign-in', 'records', registrations),
    row('store', 'nonces of verified signatures, for 20 minutes', 'records', ...signatures),
    row('hold', 'WebSockets of all of them, for a day each; a silent one costs no computation', 'sockets', tickets),
    row('compute', 'requests, to all services together; a refused one costs at most 50 ms', 'requests', ...requests),
    row('compute', 'signatures verified for a stranger', 'signatures', ...signatures),
    row('fetch', 'content from the gateway that is not stored', 'bytes', ...fetches),
    row('send', 'mails with a code, 10 of them to one mailbox', 'mails', ...mails),
    row('send', 'mails about registrations, 5 of them to one mailbox', 'mails', ...registrationMails),
    row('send', 'messages of 16 bytes over WebSockets, one for an event', 'messages', ...wakes),
  ]
}

export function costRows(): readonly CostRow[] {
  return [
    ...rowsOfAddress().map((row) => ({ who: 'an address', ...row }) as const),
    ...KEPT.map(
      ([what, ...factors]) => ({ who: 'a free identity', does: 'store', what, factors, unit: 'bytes' }) as const,
    ),
    {
      who: 'a free identity',
      does: 'hold',
      what: 'WebSockets',
      factors: [times(MAX_EVENT_SOCKETS, 'sockets')],
      unit: 'sockets',
    },
    {
      who: 'a free identity',
      does: 'send',
      what: 'challenges to addresses that are perhaps not its own, ten in an hour',
      factors: [times(HOOK_PROOFS, '`POST /api/events/hooks/{hookId}/verification`')],
      unit: 'requests',
    },
    {
      who: 'a free identity',
      does: 'send',
      what: 'deliveries to addresses that have proved themselves, beside those of what decides',
      factors: [times(MAX_HOOK_DELIVERIES, 'deliveries'), times(MAX_EVENT_HOOKS, 'hooks')],
      unit: 'requests',
    },
  ]
}

export function productOf({ factors }: Pick<CostRow, 'factors'>): number {
  return factors.reduce((product, { value }) => product * value, 1)
}

/**
 * Operations that write without an assertion, and what they leave: the words of a row above, or why it is nothing that a
 * stranger can repeat.
 */
export const ANONYMOUS_WRITES: Readonly<Record<string, string>> = {
  initGenesis: 'identities, for good',
  requestInvite: 'requests for an invitation, for 90 days',
  finishOpaqueRegistration: 'accounts at sign-in',
  confirmOpaqueRegistration: 'accounts at sign-in',
  registerPasskey: 'accounts at sign-in',
  verifySignature: 'nonces of verified signatures, for 20 minutes',
  verifyBatch: 'nonces of verified signatures, for 20 minutes',
  verifyWithKeyStatus: 'nonces of verified signatures, for 20 minutes',
  requestContact: 'mails with a code, 10 of them to one mailbox',
  resendOtp: 'mails with a code, 10 of them to one mailbox',
  verifyOtp: 'a message to an owner, with a code from a mailbox: 30 a day for each owner, 1,000 in all',
  verifyChallenge: 'a ticket, for five minutes',
  verifyTicket: 'a grant, for ten minutes',
  beginOpaqueRegistration: 'nothing: the grant is looked at first',
  beginOpaqueLogin: 'a login, for two minutes',
  finishOpaqueLogin: 'a session of an account, eight of each',
  authenticatePasskey: 'a session of an account, eight of each',
  readConsentBatch: 'nothing: it only reads',
  verifyPqc: 'nothing: it only computes',
  redeemCode: 'nothing without a code of the operator',
  redeemOnPage: 'nothing without a code of the operator',
  rotateOfficers: 'nothing without the signatures of the organization and its officers',
  collectNotes: 'nothing without a statement of the owner',
  rebuildNotes: 'nothing without a statement of the owner',
  reportPublication: 'nothing without a statement of the publisher',
  cosignAnchorLog: 'nothing without a signature of a witness',
  cosignCheckpoint: 'nothing without a signature of a witness',
  takeStripeEvent: 'nothing without a signature of the provider',
  concludeCheckout: 'nothing: only the machine of a developer has it',
  takeOperatorAct: 'nothing without a signature of the operator',
  readDisputes: 'nothing without a signature of the operator',
  readInvites: 'nothing without a signature of the operator',
  readTakedowns: 'nothing without a signature of the operator',
  listDeadLetters: 'nothing without a signature of the operator',
  listGrants: 'nothing without a signature of the operator',
  listTextsOfRegistrant: 'nothing without a signature of the operator',
}
