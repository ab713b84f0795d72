import { MAX_GUARDIAN_DAYS, MAX_GUARDIANS } from '@svc/protocol/guardians'
import { directoryHealthSchema } from '@svc/protocol/health'
import { directoryCapabilitiesSchema, MIGRATION_SUNSET } from '@svc/protocol/key-capabilities'
import {
  FALLBACK_POLICIES,
  LOW_STOCK,
  MAX_ACCOUNT_RESERVATIONS,
  MAX_POOL,
  MAX_REQUESTER_RESERVATIONS,
  RESERVATION_MS,
} from '@svc/protocol/key-directory'
import { MAX_BATCH, PROFILES, SUITES } from '@svc/protocol/key-packages'
import { defineOperation } from '@svc/service'
import { isPolicyAllowed } from '../directory/directory.ts'
import { RETIRED } from '../retired.ts'
import { keysRoute } from '../route.ts'
import { BATCH_MS } from '../transparency/transparency.ts'
import { KEYS_VERSION } from '../version.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Status and binding inventory; not rate limited',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: directoryHealthSchema, bare: true },
})

export const readCapabilities = defineOperation({
  id: 'readCapabilities',
  method: 'get',
  path: '/api/capabilities',
  summary: 'What this deployment supports; not rate limited',
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
  },
  guardians: { maxGuardians: MAX_GUARDIANS, maxDays: MAX_GUARDIAN_DAYS },
  migration: { acceptsNativeV4: false, sunset: MIGRATION_SUNSET },
} as const

export const discoveryRoutes = [
  keysRoute(readCapabilities, async ({ deps }) => ({
    version: KEYS_VERSION,
    commit: deps.config.COMMIT,
    authSchemes: ['ServiceAssertion'],
    audience: 'keys' as const,
    keyDirectoryChannelReady: false as const,
    policies: { ...POLICIES, profiles: [...POLICIES.profiles] },
    transparency: {
      tree: 'rfc9162' as const,
      hashAlg: 'sha3-384' as const,
      batchMs: BATCH_MS,
      logKeyB64u: await deps.signer.publicKey(),
      witnesses: deps.config.WITNESS_KEYS,
    },
    retired: RETIRED.map(({ path }) => path),
  })),
  keysRoute(readHealth, ({ deps, now }) => ({
    status: Object.values(deps.bindings).every(Boolean) ? ('ok' as const) : ('degraded' as const),
    service: 'keys' as const,
    version: KEYS_VERSION,
    commit: deps.config.COMMIT,
    bindings: deps.bindings,
    timestamp: now,
  })),
]
