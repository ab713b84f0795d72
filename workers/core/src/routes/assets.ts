import {
  addReceiptSchema,
  assetExportSchema,
  assetIdSchema,
  assetRecordSchema,
  mintAssetSchema,
  receiptsSchema,
  transferAssetSchema,
} from '@svc/protocol/assets'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../route.ts'

/** Sixty-four attestations of 7 kB. */
const MAX_ATTESTED_BYTES = 512 * 1024
const params = z.strictObject({ id: assetIdSchema })
const record = { status: 200, description: 'The asset', schema: assetRecordSchema } as const
const ATTESTATION_ERRORS = ['duplicate_signer', 'unknown_signer', 'invalid_signature', 'threshold_not_met'] as const

export const mintAsset = defineOperation({
  id: 'mintAsset',
  method: 'post',
  path: '/api/assets/mint',
  summary: 'Record an asset as the caller’s',
  description:
    '`header.userId` must be the caller’s. Each attestation, if there are any, must be by the caller’s root key or a ' +
    'signer of the governance policy. The same mint again gives the record.',
  auth: 'assertion',
  limit: { counter: 'mintAsset', limit: 30 },
  body: mintAssetSchema,
  maxBodyBytes: MAX_ATTESTED_BYTES,
  answer: record,
  errors: ['owner_mismatch', 'asset_mismatch', 'asset_exists', ...ATTESTATION_ERRORS],
})

export const transferAsset = defineOperation({
  id: 'transferAsset',
  method: 'post',
  path: '/api/assets/transfer',
  summary: 'Hand an asset over',
  description:
    'By its owner, to a DID whose identity exists. Of two transfers at once one is taken; the retry of the one that was ' +
    'gives the record.',
  auth: 'assertion',
  limit: { counter: 'transferAsset', limit: 30 },
  body: transferAssetSchema,
  maxBodyBytes: MAX_ATTESTED_BYTES,
  answer: record,
  errors: ['not_found', 'owner_mismatch', 'asset_moved', 'recipient_unknown', ...ATTESTATION_ERRORS],
})

export const exportAsset = defineOperation({
  id: 'exportAsset',
  method: 'post',
  path: '/api/assets/{id}/export',
  summary: 'An asset with every transfer, for its owner',
  description: 'Takes no body. 128 transfers in a page, oldest first.',
  auth: 'assertion',
  limit: { counter: 'exportAsset', limit: 30 },
  params,
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be a cursor')
      .transform(Number)
      .optional(),
  }),
  answer: { status: 200, description: 'One page', schema: assetExportSchema },
  errors: ['not_found', 'owner_mismatch'],
})

export const readAsset = defineOperation({
  id: 'readAsset',
  method: 'get',
  path: '/api/assets/{id}',
  summary: 'An asset with its newest 128 transfers',
  auth: 'assertion',
  params,
  answer: record,
  errors: ['not_found'],
})

export const readReceipts = defineOperation({
  id: 'readReceipts',
  method: 'get',
  path: '/api/assets/{id}/receipts',
  summary: 'The tokens that its owners have stated for an asset',
  auth: 'assertion',
  params,
  answer: { status: 200, description: 'The receipts', schema: receiptsSchema },
  errors: ['not_found'],
})

export const addReceipt = defineOperation({
  id: 'addReceipt',
  method: 'post',
  path: '/api/assets/{id}/receipts',
  summary: 'State that a token stands for an asset',
  description: 'The owner’s word; no ledger is asked. At most 128. The same mapping again is the same receipt.',
  auth: 'assertion',
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
    throw new ApiError(minted.error.reason)
  }),
  coreRoute(transferAsset, async ({ caller, body, deps, now }) => {
    const { header, attestations = [] } = body
    const moved = await deps.assets.transfer(caller, { header, attestations }, now)
    if (moved.ok) return moved.value
    throw new ApiError(moved.error.reason)
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
  coreRoute(readReceipts, async ({ params: { id }, deps }) => {
    const asset = await deps.assets.find(id)
    if (!asset) throw new ApiError('not_found')
    return { assetId: id, receipts: asset.receipts ?? [] }
  }),
  coreRoute(addReceipt, async ({ caller, params: { id }, body, deps, now }) => {
    const added = await deps.assets.addReceipt(caller, id, body, now)
    if (added.ok) return added.value
    throw new ApiError(added.error.reason)
  }),
]
