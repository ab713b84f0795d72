import { type ProvenanceCapabilities, provenanceCapabilitiesSchema } from '@svc/protocol/provenance/api'
import { MAX_KEYPOINT_BYTES } from '@svc/protocol/provenance/model-files'
import {
  MAX_BATCH_ITEMS,
  MAX_VERIFIED_MESSAGE_BYTES,
  NONCE_LIFETIME_MS,
} from '@svc/protocol/provenance/signature-check'
import {
  MAX_MATCHES,
  VECTOR_DIMENSIONS,
  VECTOR_RULES,
  VECTOR_SERVICES,
  type VectorServices,
} from '@svc/protocol/provenance/vector-services'
import { defineOperation, type Operation } from '@svc/service'
import { SEARCH_TIERS } from '../search/tiers.ts'
import { PROVENANCE_DESCRIPTION, provenanceRoute } from '../service.ts'
import type { Services } from '../services.ts'

export const readCapabilities = defineOperation({
  id: 'readCapabilities',
  method: 'get',
  path: '/api/capabilities',
  summary: 'Read the algorithms, limits and endpoints of this deployment',
  description:
    'Read it before you register: `features.chainBinding` says whether a registration may carry a block of the ' +
    'owner’s chain, and each name in `limits` states its unit. `rateLimits` are advisory; the limiter enforces ' +
    '`x-rate-limit` of each operation in `/openapi.json`.',
  auth: 'none',
  answer: { status: 200, description: 'Capabilities', schema: provenanceCapabilitiesSchema },
})

const ADVISORY = 'Advisory: x-rate-limit of each operation in /openapi.json is what the limiter enforces.'

function capabilitiesOf(
  { config, vectorSets }: Pick<Services, 'config' | 'vectorSets'>,
  operations: readonly Operation[],
): ProvenanceCapabilities {
  const windows = operations.flatMap(({ callerWindow }) => (callerWindow?.seconds === 60 ? [callerWindow] : []))
  return {
    service: 'provenance',
    version: PROVENANCE_DESCRIPTION.version,
    commit: config.COMMIT,
    authSchemes: ['ServiceAssertion'],
    algorithms: { signature: ['ml-dsa-65'], hash: ['sha3-384'] },
    features: { chainBinding: config.CHAIN_BINDING === 'on', ledgerPublication: false },
    search: Object.fromEntries(
      VECTOR_SERVICES.map((service) => [
        service,
        { provisioned: vectorSets.indexes[service] !== null, dimensions: VECTOR_DIMENSIONS, ...VECTOR_RULES[service] },
      ]),
    ) as VectorServices,
    limits: {
      verifyBatchItems: MAX_BATCH_ITEMS,
      verifyMessageBytes: MAX_VERIFIED_MESSAGE_BYTES,
      verifyNonceMilliseconds: NONCE_LIFETIME_MS,
      keypointBytes: MAX_KEYPOINT_BYTES,
      searchMatches: MAX_MATCHES,
    },
    rateLimits: {
      advisory: true,
      note: ADVISORY,
      windowSeconds: 60,
      byDid: {
        ...Object.fromEntries(windows.map(({ counter, limit }) => [counter, limit])),
        [SEARCH_TIERS.counter]: SEARCH_TIERS.authenticated,
      },
    },
    endpoints: operations.map(({ id, method, path, auth, summary }) => ({
      id,
      method: method.toUpperCase(),
      path,
      auth,
      summary,
    })),
  }
}

export const capabilityRoutes = (operations: readonly Operation[]) => [
  provenanceRoute(readCapabilities, ({ deps }) => capabilitiesOf(deps, operations)),
]
