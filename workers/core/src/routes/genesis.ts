import { genesisRecordSchema, genesisRequestSchema, rootAnswerSchema } from '@svc/protocol/chain-api'
import { deactivatedSchema, signedDeactivationSchema } from '@svc/protocol/deactivation'
import { didSchema } from '@svc/protocol/identity'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import type { InitRefusal } from '../identity/identity-service.ts'
import { coreRoute } from '../route.ts'

const didParams = z.strictObject({ did: didSchema })

export const initGenesis = defineOperation({
  id: 'initGenesis',
  method: 'post',
  path: '/api/genesis/init',
  summary: 'Create an identity by its genesis block',
  description:
    'The credential is the block’s own signature. Block "0", version 4, epoch 0, contentType ' +
    '`application/vnd.svc.genesis+json`. The same block again gives the same answer; another one is 409.',
  auth: 'none',
  limit: { counter: 'initGenesis', limit: 5 },
  body: genesisRequestSchema,
  answer: { status: 200, description: 'The identity', schema: genesisRecordSchema },
  errors: ['invalid_signature', 'genesis_conflict', 'dependency_unavailable'],
})

export const readGenesis = defineOperation({
  id: 'readGenesis',
  method: 'get',
  path: '/api/genesis/{did}',
  summary: 'The published genesis record of an identity',
  auth: 'none',
  params: didParams,
  answer: { status: 200, description: 'The genesis record', schema: genesisRecordSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const readRoot = defineOperation({
  id: 'readRoot',
  method: 'get',
  path: '/api/chain/root/{did}',
  summary: 'The current root public key and epoch of an identity',
  auth: 'none',
  params: didParams,
  answer: { status: 200, description: 'The root', schema: rootAnswerSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const deactivate = defineOperation({
  id: 'deactivate',
  method: 'post',
  path: '/api/chain/deactivate',
  summary: 'End an identity for good',
  description:
    'The credential is the statement’s signature by the current root key; there is no assertion. Terminal: every later ' +
    'assertion of the identity is 401 and its DID resolves to 410. The same again gives the same answer. It may be ' +
    'signed ahead and kept for an emergency.',
  auth: 'none',
  limit: { counter: 'deactivate', limit: 5 },
  body: signedDeactivationSchema,
  answer: { status: 200, description: 'Ended', schema: deactivatedSchema },
  errors: ['not_found', 'owner_mismatch', 'invalid_signature', 'key_superseded', 'dependency_unavailable'],
})

export const genesisRoutes = [
  coreRoute(initGenesis, async ({ body, deps, now }) => {
    const created = await deps.identities.init(body.block, now)
    if (created.ok) return created.value
    throw initError(created.error)
  }),
  coreRoute(deactivate, async ({ body, deps }) => {
    const ended = await deps.identities.deactivate(body)
    if (ended.ok) {
      // What a cache says of its devices ends with it.
      await deps.devices.forgetAll(ended.value.did)
      return ended.value
    }
    throw new ApiError(ended.error.reason === 'superseded' ? 'key_superseded' : ended.error.reason)
  }),
  coreRoute(readGenesis, async ({ params, deps }) => {
    const record = await deps.identities.genesis(params.did)
    if (!record) throw new ApiError('not_found')
    return record
  }),
  coreRoute(readRoot, async ({ params, deps }) => {
    const root = await deps.identities.root(params.did)
    if (!root) throw new ApiError('not_found')
    return root
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
