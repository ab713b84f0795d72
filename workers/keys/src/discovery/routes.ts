import { BATCH_MS } from '@svc/log'
import { mlDsa65 } from '@svc/pqc'
import { directoryHealthSchema } from '@svc/protocol/http/health'
import { directoryCapabilitiesSchema, MIGRATION_SUNSET } from '@svc/protocol/keys/capabilities'
import {
  FALLBACK_POLICIES,
  LOW_STOCK,
  MAX_ACCOUNT_RESERVATIONS,
  MAX_POOL,
  MAX_REQUESTER_RESERVATIONS,
  RESERVATION_MS,
} from '@svc/protocol/keys/directory'
import { MAX_GUARDIAN_DAYS, MAX_GUARDIANS } from '@svc/protocol/keys/guardians'
import { MAX_BATCH, PROFILES, SUITES } from '@svc/protocol/keys/packages'
import { MAX_CONTACTS } from '@svc/protocol/keys/reserving'
import { openLog } from '@svc/protocol/merkle/log-list'
import { defineOperation, namespaceOf, objectCommitsRoute, queuesMember } from '@svc/service'
import { isPolicyAllowed } from '../directory/rules.ts'
import { KEYS_DESCRIPTION, keysRoute, LOG_LIST_PATH, RETIRED } from '../service.ts'
import type { Services } from '../services.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Read the status and the bindings; not rate limited',
  description:
    '`status` is `degraded` if the deployment lacks a binding or has no log list that is in force; `bindings` says ' +
    'which. The status code is 200 either way. `timestamp` is the server’s time in epoch ms.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: directoryHealthSchema, bare: true },
})

export const readCapabilities = defineOperation({
  id: 'readCapabilities',
  method: 'get',
  path: '/api/capabilities',
  summary: 'Read what this deployment supports; not rate limited',
  description:
    'Authoritative, and not cached. Suites, fallback policies and the limits of prekeys and guardians; times are in ' +
    'milliseconds. `transparency` names the open log of the log list, and `namespace` and `labelKeyB64u` that it has of the ' +
    'labels of accounts; `receiptKeyB64u` verifies receipts of reservations.',
  auth: 'none',
  answer: { status: 200, description: 'The capabilities', schema: directoryCapabilitiesSchema, bare: true },
})

const POLICIES = {
  legacyCredentials: false,
  mutationsNeedOrigin: true,
  maxNonceLength: 128,
  profiles: PROFILES.map((profile) => ({
    profile,
    suiteIds: [...SUITES],
    fallbackPolicies: FALLBACK_POLICIES.filter((fallbackPolicy) => isPolicyAllowed({ profile, fallbackPolicy })),
  })),
  prekeys: {
    maxBatch: MAX_BATCH,
    maxPool: MAX_POOL,
    lowStock: LOW_STOCK,
    reservationMs: RESERVATION_MS,
    maxReservationsOfRequester: MAX_REQUESTER_RESERVATIONS,
    maxReservationsOfAccount: MAX_ACCOUNT_RESERVATIONS,
    maxContacts: MAX_CONTACTS,
  },
  guardians: { maxGuardians: MAX_GUARDIANS, maxDays: MAX_GUARDIAN_DAYS },
  migration: { acceptsNativeV4: false, sunset: MIGRATION_SUNSET },
} as const

function capabilitiesOf(
  { config }: Services,
  log: string,
  keys: { readonly receiptKeyB64u: string | null; readonly labelKeyB64u: string | null },
) {
  return {
    version: KEYS_DESCRIPTION.version,
    commit: config.COMMIT,
    authSchemes: ['ServiceAssertion'],
    audience: 'keys' as const,
    keyDirectoryChannelReady: false as const,
    policies: { ...POLICIES, profiles: [...POLICIES.profiles] },
    transparency: {
      tree: 'rfc9162' as const,
      hashAlg: 'sha3-384' as const,
      batchMs: BATCH_MS,
      namespace: namespaceOf(config),
      log,
      logList: LOG_LIST_PATH,
      ...keys,
      witnesses: config.WITNESS_KEYS,
    },
    retired: RETIRED.map(({ path }) => path),
  }
}

export const discoveryRoutes = [
  keysRoute(readCapabilities, async ({ deps, now }) => {
    const list = await deps.logs.lists.newest(now)
    const open = list.ok ? openLog(list.value.statement, 'transparency')?.log : undefined
    const keys = { receiptKeyB64u: await deps.receipts.publicKey(now), labelKeyB64u: deps.labels.publicKey() }
    return capabilitiesOf(deps, open ?? deps.logs.configured, keys)
  }),
  keysRoute(readHealth, async ({ deps, now }) => {
    const bindings = { ...deps.bindings, logList: (await deps.logs.lists.newest(now)).ok }
    return {
      status: Object.values(bindings).every(Boolean) ? ('ok' as const) : ('degraded' as const),
      service: 'keys' as const,
      version: KEYS_DESCRIPTION.version,
      commit: deps.config.COMMIT,
      cryptography: mlDsa65.backend,
      ...queuesMember(await deps.queues.recent(now)),
      bindings,
      timestamp: now,
    }
  }),
  objectCommitsRoute('keys'),
]
