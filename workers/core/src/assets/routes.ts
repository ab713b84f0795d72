import {
  addReceiptSchema,
  assetExportSchema,
  assetHistorySchema,
  assetIdSchema,
  assetRecordSchema,
  MAX_MINT_BYTES,
  mintAssetSchema,
  receiptsSchema,
  transferAssetSchema,
} from '@svc/protocol/ledger/assets'
import { MAX_ATTESTED_BYTES } from '@svc/protocol/ledger/attestations'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import { budgetError } from '../storage/error.ts'
import type { MintRefusal, ReceiptRefusal, TransferRefusal } from './service.ts'

const paging = z.strictObject({
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a cursor')
    .transform(Number)
    .optional(),
})
const params = z.strictObject({ id: assetIdSchema })
const record = { status: 200, description: 'The asset', schema: assetRecordSchema } as const
const ATTESTATION_ERRORS = ['duplicate_signer', 'unknown_signer', 'invalid_signature', 'threshold_not_met'] as const

export const mintAsset = defineOperation({
  id: 'mintAsset',
  method: 'post',
  path: '/api/assets/mint',
  summary: 'Record an asset of the caller',
  description:
    '`header.userId` must be the caller’s. Attestations are optional; each must be by the caller’s root key or a signer ' +
    'of the governance policy. If the id certifies the caller and the caller’s root key attests the mint, the record is ' +
    'proved: it displaces an unproved record of the same id. Idempotent: returns the record.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:write',
  limit: { counter: 'mintAsset', limit: 30, protects: 'storage' },
  body: mintAssetSchema,
  maxBodyBytes: MAX_MINT_BYTES,
  answer: record,
  errors: ['owner_mismatch', 'asset_mismatch', 'asset_exists', 'budget_exhausted', ...ATTESTATION_ERRORS],
})

export const transferAsset = defineOperation({
  id: 'transferAsset',
  method: 'post',
  path: '/api/assets/transfer',
  summary: 'Transfer an asset',
  description:
    'By its owner, to the DID of an existing identity. Of two concurrent transfers one is accepted; retrying it returns ' +
    'the record.',
  auth: 'assertion',
  audiences: ['chain'],
  // A transfer can't be undone.
  capability: 'root',
  limit: { counter: 'transferAsset', limit: 30, protects: 'storage' },
  body: transferAssetSchema,
  maxBodyBytes: MAX_ATTESTED_BYTES,
  answer: record,
  errors: [
    'not_found',
    'owner_mismatch',
    'asset_moved',
    'recipient_unknown',
    'security_hold',
    'budget_exhausted',
    ...ATTESTATION_ERRORS,
  ],
})

export const exportAsset = defineOperation({
  id: 'exportAsset',
  method: 'post',
  path: '/api/assets/{id}/export',
  summary: 'Export an asset with all transfers, as its owner',
  description: 'Takes no body. 128 transfers per page, oldest first.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:read',
  limit: { counter: 'exportAsset', limit: 30, protects: 'work' },
  params,
  query: paging,
  answer: { status: 200, description: 'One page', schema: assetExportSchema },
  errors: ['not_found', 'owner_mismatch'],
})

export const readAsset = defineOperation({
  id: 'readAsset',
  method: 'get',
  path: '/api/assets/{id}',
  summary: 'Read an asset with its latest 128 transfers',
  description:
    'Any identity may read any asset. A record without the signatures of an unbroken chain from the mint to the ' +
    'owner is only a claim: anyone could have recorded it first. Only the owner’s export has all transfers.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:read',
  params,
  answer: record,
  errors: ['not_found'],
})

export const readAssetHistory = defineOperation({
  id: 'readAssetHistory',
  method: 'get',
  path: '/api/assets/{id}/history',
  summary: 'Read the unproved record that the current one displaced',
  description: 'An id has at most one. 128 transfers per page, oldest first.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:read',
  params,
  query: paging,
  answer: { status: 200, description: 'One page', schema: assetHistorySchema },
  errors: ['not_found'],
})

export const readReceipts = defineOperation({
  id: 'readReceipts',
  method: 'get',
  path: '/api/assets/{id}/receipts',
  summary: 'List the tokens that owners recorded for an asset',
  description:
    'At most 128. Each is a claim of the owner at the time: core does not ask the ledger whether the token exists or ' +
    'who holds it. Any identity may read them.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:read',
  params,
  answer: { status: 200, description: 'The receipts', schema: receiptsSchema },
  errors: ['not_found'],
})

export const addReceipt = defineOperation({
  id: 'addReceipt',
  method: 'post',
  path: '/api/assets/{id}/receipts',
  summary: 'Record that a token represents an asset',
  description: 'A claim of the owner; no ledger is involved. At most 128. Idempotent: returns the existing receipt.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:write',
  params,
  body: addReceiptSchema,
  answer: record,
  errors: ['not_found', 'owner_mismatch', 'receipt_limit'],
})

export const assetRoutes = [
  coreRoute(mintAsset, async ({ caller, body, deps, now }) => {
    const { header, asset, attestations = [] } = body
    const minted = await deps.assets.mint(caller, { header, asset, attestations }, now)
    if (minted.ok) return minted.value
    throw assetError(minted.error)
  }),
  coreRoute(transferAsset, async ({ caller, body, deps, now }) => {
    const { header, attestations = [] } = body
    const moved = await deps.assets.transfer(caller, { header, attestations }, now)
    if (moved.ok) return moved.value
    throw assetError(moved.error)
  }),
  coreRoute(exportAsset, async ({ caller, params: { id }, query, deps, now }) => {
    const exported = await deps.assets.export(caller, id, query.cursor ?? 0, now)
    if (exported.ok) return exported.value
    throw new ApiError(exported.error.reason)
  }),
  coreRoute(readAsset, async ({ params: { id }, deps }) => {
    const asset = await deps.assets.find(id)
    if (!asset) throw new ApiError('not_found')
    return asset
  }),
  coreRoute(readAssetHistory, async ({ params: { id }, query: { cursor }, deps }) => {
    const history = await deps.assets.history(id, cursor ?? 0)
    if (!history) throw new ApiError('not_found')
    return history
  }),
  coreRoute(readReceipts, async ({ params: { id }, deps }) => {
    const asset = await deps.assets.find(id)
    if (!asset) throw new ApiError('not_found')
    return { assetId: id, receipts: asset.receipts ?? [] }
  }),
  coreRoute(addReceipt, async ({ caller, params: { id }, body, deps, now }) => {
    const added = await deps.assets.addReceipt(caller, id, body, now)
    if (added.ok) return added.value
    throw assetError(added.error)
  }),
]

function assetError(refusal: MintRefusal | TransferRefusal | ReceiptRefusal): ApiError {
  return refusal.reason === 'budget_exhausted' ? budgetError(refusal) : new ApiError(refusal.reason)
}
