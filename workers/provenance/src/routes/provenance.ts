import { capsuleQuerySchema, provenanceIdSchema } from '@svc/protocol/capsules'
import { proofBundleSchema } from '@svc/protocol/proof-bundle'
import { chainProvenanceSchema, type ProvenancePath, provenancePathSchema } from '@svc/protocol/provenance-path'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import type { CapsuleService } from '../capsules/capsule-service.ts'
import type { Config } from '../env.ts'
import { provenanceRoute } from '../route.ts'

const params = z.strictObject({ assetId: provenanceIdSchema })
const query = capsuleQuerySchema
const CHAIN_ERRORS = ['canonical_chain_binding_unavailable', 'not_found', 'dependency_unavailable'] as const
const GATE = '501 unless the deployment binds registrations to chains; 404 for one that is bound to none.'

export const readProvenance = defineOperation({
  id: 'readProvenance',
  method: 'get',
  path: '/api/provenance/{assetId}',
  summary: 'Where the owner’s chain carries the capsule of an asset',
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
  summary: 'From the capsule to the DID, each step to be verified by whoever reads it',
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
  summary: 'Evidence for a registration, what each piece is worth, and what is missing',
  description: 'No ledger inclusion proof: `anchor` is always null, and `anchorReason` says why.',
  auth: 'none',
  params,
  query,
  answer: { status: 200, description: 'The bundle', schema: proofBundleSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

interface Asked {
  readonly params: { readonly assetId: string }
  readonly query: { readonly did?: string | undefined }
  readonly deps: { readonly config: Config; readonly capsules: CapsuleService }
}

/** The gate comes first: where registration binds nothing, nothing is looked up. */
async function pathOf({ params: { assetId }, query: { did }, deps }: Asked): Promise<ProvenancePath> {
  if (deps.config.CHAIN_BINDING !== 'on') throw new ApiError('canonical_chain_binding_unavailable')
  const path = await deps.capsules.path(assetId, did)
  if (!path) throw new ApiError('not_found')
  return path
}

export const provenanceRoutes = [
  provenanceRoute(readProvenance, async (request) => {
    const { assetId, did, capsuleHash, position, registeredAt, chain } = await pathOf(request)
    return { assetId, did, capsuleHash, position, registeredAt, chain }
  }),
  provenanceRoute(readProvenancePath, pathOf),
  provenanceRoute(readProof, async ({ params: { assetId }, query: { did }, deps, now }) => {
    const proof = await deps.capsules.proof(assetId, did, now)
    if (!proof) throw new ApiError('not_found')
    return proof
  }),
]
