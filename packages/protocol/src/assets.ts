/**
 * Assets (document 1 section 2.8): records of what was minted and who owns it. Every constraint of the document is in
 * these schemas; the record is a statement of this service and of its signers, and no title in law.
 *
 * @module
 */
import * as z from 'zod'
import { governanceAttestationSchema, MAX_ATTESTATIONS } from './governance.ts'
import { hashSchema } from './hash.ts'
import { jcsBytes } from './jcs.ts'

export const MAX_TRANSFERS = 128
export const MAX_RECEIPTS = 128
const MAX_HASHES = 64

export const assetIdSchema = z
  .string()
  // Document 1 section 2.8 counts 112 characters; the form that it gives has 111, and the form decides.
  .regex(/^asset:sha3-384:[0-9a-f]{96}$/, 'must be asset:sha3-384: and 96 lowercase hex characters')
  .meta({ id: 'AssetId' })
const toSchema = z.string().regex(/^did:svc:[A-Za-z0-9_-]{32}$/, 'must be did:svc: and 32 base64url characters')
const dateTime = z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date-time' }).max(64)

const headerMembers = {
  userId: z.string().min(1).max(1024).meta({ description: 'The caller’s userId' }),
  assetId: assetIdSchema,
  timestamp: dateTime,
  app: z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 -, a letter first'),
    version: z
      .string()
      .min(5)
      .max(64)
      .regex(
        /^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
        'must be a semantic version',
      ),
  }),
}
export const assetMintHeaderSchema = z
  .strictObject({ ...headerMembers, action: z.literal('asset/mint') })
  .meta({ id: 'AssetMintHeader' })
export const assetTransferHeaderSchema = z
  .strictObject({ ...headerMembers, action: z.literal('asset/transfer'), to: toSchema })
  .meta({ id: 'AssetTransferHeader' })
export type AssetTransferHeader = z.infer<typeof assetTransferHeaderSchema>
export type AssetMintHeader = z.infer<typeof assetMintHeaderSchema>

export const assetCoreSchema = z
  .strictObject({
    assetId: assetIdSchema,
    media: z.strictObject({
      mime: z
        .string()
        .min(3)
        .max(255)
        .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, 'must be type/subtype in lowercase'),
      bytes: z.int().min(0),
      cid: z
        .string()
        .min(12)
        .max(1024)
        .regex(
          /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]+)$/,
          'must be a base58 CID starting Qm or a base32 CID starting baf',
        ),
    }),
    royalty: z
      .strictObject({
        receiver: z.string().regex(/^(?:0x[0-9a-f]{40}|did:svc:[A-Za-z0-9_-]{32})$/, 'must be an address or a did:svc'),
        bps: z.int().min(0).max(10_000),
      })
      .optional(),
    perceptual: z
      .strictObject({
        algo: z.enum(['phash', 'dhash', 'pdq', 'tmk-pdqf-v1']),
        hashes: z
          .array(
            z
              .string()
              .min(1)
              // A TMK+PDQF descriptor takes 256 kB in binary; here a hash is a digest of one, so 1,024 characters are ample.
              .max(1024)
              .regex(/^[0-9a-f]+$/, 'must be lowercase hex'),
          )
          .max(MAX_HASHES),
      })
      .optional(),
    metadataHash: hashSchema.optional().meta({ description: 'A commitment to metadata that its owner keeps' }),
  })
  .meta({ id: 'AssetCore', description: 'Plaintext metadata is neither accepted nor returned' })
export type AssetCore = z.infer<typeof assetCoreSchema>

const attestations = z.array(governanceAttestationSchema).max(MAX_ATTESTATIONS)

export const mintAssetSchema = z
  .strictObject({ header: assetMintHeaderSchema, asset: assetCoreSchema, attestations: attestations.optional() })
  .meta({ id: 'MintAsset', description: 'Attestations are over JCS of {type: "svc/asset-mint/v1", header, asset}' })
export const transferAssetSchema = z
  .strictObject({ header: assetTransferHeaderSchema, attestations: attestations.optional() })
  .meta({ id: 'TransferAsset', description: 'Attestations are over JCS of {type: "svc/asset-transfer/v1", header}' })

export const assetTransferEventSchema = z
  .strictObject({
    header: assetTransferHeaderSchema,
    attestations,
    previousOwner: z.string().min(1).max(1024),
    newOwner: z.string().min(1).max(1024),
    occurredAt: dateTime,
  })
  .meta({ id: 'AssetTransferEvent' })
export type AssetTransferEvent = z.infer<typeof assetTransferEventSchema>

const decimal = z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be a decimal without leading zeros')
const receiptMembers = {
  standard: z.enum(['erc721', 'erc1155']),
  contract: z.string().regex(/^0x[0-9a-f]{40}$/, 'must be 0x and 40 lowercase hex characters'),
  tokenId: decimal,
  chainId: decimal.optional(),
  txHash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lowercase hex characters')
    .optional(),
}
export const addReceiptSchema = z.strictObject(receiptMembers).meta({
  id: 'AddReceipt',
  description: 'The owner’s word that a token stands for the asset; no ledger is asked',
})
export const assetReceiptSchema = z
  .strictObject({ ...receiptMembers, mappedAt: dateTime })
  .meta({ id: 'AssetERCReceipt', description: 'What the owner has stated; no evidence of a ledger' })
export type AssetReceipt = z.infer<typeof assetReceiptSchema>

export const assetRecordSchema = z
  .strictObject({
    header: assetMintHeaderSchema,
    asset: assetCoreSchema,
    attestations,
    owner: z.string().meta({ description: 'DID of the owner' }),
    createdAt: z.string(),
    updatedAt: z.string(),
    transfers: z.array(assetTransferEventSchema).max(MAX_TRANSFERS).optional().meta({ description: 'The newest 128' }),
    receipts: z.array(assetReceiptSchema).max(MAX_RECEIPTS).optional(),
  })
  .meta({ id: 'AssetRecord' })
export type AssetRecord = z.infer<typeof assetRecordSchema>

export const assetExportSchema = z
  .strictObject({
    format: z.literal('svc/asset-export/v1'),
    exportedAt: z.string(),
    record: assetRecordSchema,
    transfers: z.array(assetTransferEventSchema).meta({ description: 'Every transfer of this page, oldest first' }),
    cursor: z.string().nullable().meta({ description: 'Of the next page of transfers; null at the end' }),
  })
  .meta({ id: 'AssetExport' })
export type AssetExport = z.infer<typeof assetExportSchema>

export const receiptsSchema = z
  .strictObject({ assetId: assetIdSchema, receipts: z.array(assetReceiptSchema) })
  .meta({ id: 'AssetReceipts' })

export function mintBytes(header: AssetMintHeader, asset: AssetCore): Uint8Array {
  return jcsBytes({ type: 'svc/asset-mint/v1', header, asset })
}

export function transferBytes(header: AssetTransferHeader): Uint8Array {
  return jcsBytes({ type: 'svc/asset-transfer/v1', header })
}
