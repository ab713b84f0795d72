import { capsuleQuerySchema, provenanceIdSchema } from '@svc/protocol/provenance/capsules'
import { chainProvenanceSchema, type ProvenancePath, provenancePathSchema } from '@svc/protocol/provenance/path'
import { proofBundleSchema } from '@svc/protocol/provenance/proof-bundle'
import { ApiError, defineOperation, gated, type TakedownList } from '@svc/service'
import * as z from 'zod'
import type { CapsuleService } from '../capsules/service.ts'
import type { Config } from '../env.ts'
import { provenanceRoute } from '../service.ts'
import { missing } from '../takedowns/missing.ts'

const params = z.strictObject({ assetId: provenanceIdSchema })
const query = capsuleQuerySchema
const CHAIN_ERRORS = [
  'canonical_chain_binding_unavailable',
  'not_found',
  'taken_down',
  'dependency_unavailable',
] as const
const GATE =
  '501 for every id unless the deployment binds registrations to chains; else 404 for a registration that is bound to none.'

export const readProvenance = defineOperation({
  id: 'readProvenance',
  method: 'get',
  path: '/api/provenance/{assetId}',
  summary: 'Read the position of a capsule in its owner’s chain',
  description: GATE,
  auth: 'none',
  params,
  query,
  answer: { status: 200, description: 'The block', schema: chainProvenanceSchema },
  errors: CHAIN_ERRORS,
})

export const readProvenancePath = defineOperation({
  id: 'readProvenancePath',
  method: 'get',
  path: '/api/provenance/{assetId}/path',
  summary: 'Read the steps from the capsule to the DID, each verifiable',
  description: GATE,
  auth: 'none',
  params,
  query,
  answer: { status: 200, description: 'The path', schema: provenancePathSchema },
  errors: CHAIN_ERRORS,
})

export const readProof = defineOperation({
  id: 'readProof',
  method: 'get',
  path: '/api/provenance/{assetId}/proof',
  summary: 'Read the evidence for a registration, its strength, and what is missing',
  description: 'Not a ledger inclusion proof: `anchor` is always null, and `anchorReason` says why.',
  auth: 'none',
  params,
  query,
  answer: { status: 200, description: 'The bundle', schema: proofBundleSchema },
  errors: ['not_found', 'taken_down', 'dependency_unavailable'],
})

interface Asked {
  readonly params: { readonly assetId: string }
  readonly query: { readonly did?: string | undefined }
  readonly deps: { readonly capsules: CapsuleService; readonly takedowns: TakedownList }
}

/** If registrations are not bound to chains, the answer is the same for every id. */
function requireBinding({ config }: { readonly config: Config }): void {
  if (config.CHAIN_BINDING !== 'on') throw new ApiError('canonical_chain_binding_unavailable')
}

async function pathOf({ params: { assetId }, query: { did }, deps }: Asked): Promise<ProvenancePath> {
  const path = await deps.capsules.path(assetId, did)
  if (!path) throw await missing(deps.takedowns, assetId)
  return path
}

export const provenanceRoutes = [
  ...gated(requireBinding, [
    provenanceRoute(readProvenance, async (request) => {
      const { assetId, did, capsuleHash, position, registeredAt, chain } = await pathOf(request)
      return { assetId, did, capsuleHash, position, registeredAt, chain }
    }),
    provenanceRoute(readProvenancePath, pathOf),
  ]),
  provenanceRoute(readProof, async ({ params: { assetId }, query: { did }, deps, now }) => {
    const proof = await deps.capsules.proof(assetId, did, now)
    if (!proof) throw await missing(deps.takedowns, assetId)
    return proof
  }),
]
