import { didSchema } from '@svc/protocol/base/identity'
import { genesisRecordSchema, genesisRequestSchema } from '@svc/protocol/chain/api'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import type { InitRefusal } from './service.ts'

const didParams = z.strictObject({ did: didSchema })

export const initGenesis = defineOperation({
  id: 'initGenesis',
  method: 'post',
  path: '/api/genesis/init',
  summary: 'Create an identity with its genesis block',
  description:
    'The credential is the block’s own signature. Block "0", version 4, epoch 0, contentType ' +
    '`application/vnd.svc.genesis+json`. `commitment` shows what `metadataHash` of the block names: the keys that may ' +
    'follow. Idempotent for the same block; another one is 409.',
  auth: 'none',
  limit: { counter: 'initGenesis', limit: 5, protects: 'storage' },
  body: genesisRequestSchema,
  answer: { status: 200, description: 'The identity', schema: genesisRecordSchema },
  errors: ['invalid_signature', 'genesis_conflict', 'dependency_unavailable'],
})

export const readGenesis = defineOperation({
  id: 'readGenesis',
  method: 'get',
  path: '/api/genesis/{did}',
  summary: 'Read the genesis record of an identity',
  description:
    'Everyone can read it, also after the identity was deactivated. Verify it: the signature of the block under ' +
    '`ownerPublicKey`, and that `scope` gives the DID. `createdAt` (epoch ms) is core’s claim.',
  auth: 'none',
  params: didParams,
  answer: { status: 200, description: 'The genesis record', schema: genesisRecordSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const genesisRoutes = [
  coreRoute(initGenesis, async ({ body, deps, now }) => {
    const created = await deps.identities.init(body, now)
    if (created.ok) return created.value
    throw initError(created.error)
  }),
  coreRoute(readGenesis, async ({ params, deps, background }) => {
    const record = await deps.identities.genesis(params.did, background)
    if (!record) throw new ApiError('not_found')
    return record
  }),
]

function initError(refusal: InitRefusal): ApiError {
  switch (refusal.reason) {
    case 'not_genesis':
      return new ApiError('invalid_request', { message: `body.block: ${refusal.detail}` })
    case 'invalid_signature':
      return new ApiError('invalid_signature')
    case 'conflict':
      return new ApiError('genesis_conflict')
  }
}
