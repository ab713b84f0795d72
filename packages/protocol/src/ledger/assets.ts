/**
 * Assets (workers/docs/pages/developer/assets.md): records of what was minted and who owns it. A record is a claim of
 * this service and of its signers, not a legal title.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { dateTimeSchema } from '../http/date-time.ts'
import { forms } from '../http/path-forms.ts'
import { governanceAttestationSchema, MAX_ATTESTATIONS } from './attestations.ts'

export const MAX_TRANSFERS = 128
export const MAX_RECEIPTS = 128
const MAX_HASHES = 64
/** 8 KiB each. A TMK+PDQF descriptor itself has 256 kB: keep that yourself, and record a digest of it. */
const MAX_HASH_CHARS = 16_384

export const assetIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^asset:sha3-384:[0-9a-f]{96}$/, 'must be asset:sha3-384: and 96 lowercase hex characters')
    .meta({ id: 'AssetId' })
    .register(forms, { isPublished: true }),
)
const toSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^did:svc:[A-Za-z0-9_-]{32}$/, 'must be did:svc: and 32 base64url characters'),
)

export const mediaBytesSchema = /* @__PURE__ */ pure(() => z.int().min(0))

const headerMembers = /* @__PURE__ */ pure(() => ({
  userId: z.string().min(1).max(1024).meta({ description: 'The caller’s userId' }),
  assetId: assetIdSchema,
  timestamp: dateTimeSchema,
  app: z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 -, starting with a letter'),
    version: z
      .string()
      .min(5)
      .max(64)
      .regex(
        /^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
        'must be a semantic version',
      ),
  }),
}))
export const assetMintHeaderSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...headerMembers, action: z.literal('asset/mint') }).meta({ id: 'AssetMintHeader' }),
)
export const assetTransferHeaderSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...headerMembers, action: z.literal('asset/transfer'), to: toSchema })
    .meta({ id: 'AssetTransferHeader' }),
)
export type AssetTransferHeader = z.infer<typeof assetTransferHeaderSchema>
export type AssetMintHeader = z.infer<typeof assetMintHeaderSchema>

export const assetCoreSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      assetId: assetIdSchema,
      media: z.strictObject({
        mime: z
          .string()
          .min(3)
          .max(255)
          .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, 'must be type/subtype in lowercase'),
        bytes: mediaBytesSchema.optional(),
        cid: z
          .string()
          .min(12)
          .max(1024)
          .regex(
            /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]+)$/,
            'must be a base58 CID starting Qm or a base32 CID starting baf',
          )
          .optional(),
      }),
      royalty: z
        .strictObject({
          receiver: z
            .string()
            .regex(/^(?:0x[0-9a-f]{40}|did:svc:[A-Za-z0-9_-]{32})$/, 'must be a 0x address or a did:svc'),
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
                .max(MAX_HASH_CHARS)
                .regex(/^[0-9a-f]+$/, 'must be lowercase hex'),
            )
            .max(MAX_HASHES),
        })
        .optional(),
      metadataHash: hashSchema.optional().meta({ description: 'A commitment to metadata kept by the owner' }),
    })
    .meta({ id: 'AssetCore', description: 'Plaintext metadata is neither accepted nor returned' }),
)
export type AssetCore = z.infer<typeof assetCoreSchema>

const attestations = /* @__PURE__ */ pure(() => z.array(governanceAttestationSchema).max(MAX_ATTESTATIONS))

/**
 * 64 attestations of 7.2 kB and 64 perceptual hashes of 16 kB come to 1.5 MB. What is stored of a mint is one row, which
 * has room for 2 MB.
 */
export const MAX_MINT_BYTES = 1_792 * 1024

export const mintAssetSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ header: assetMintHeaderSchema, asset: assetCoreSchema, attestations: attestations.optional() })
    .meta({
      id: 'MintAsset',
      description: 'Attestations sign the statement `svc/asset-mint/v1`; each needs `signedAt`',
    }),
)
export const transferAssetSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ header: assetTransferHeaderSchema, attestations: attestations.optional() }).meta({
    id: 'TransferAsset',
    description: 'Attestations sign the statement `svc/asset-transfer/v1`; each needs `signedAt`',
  }),
)

export const assetTransferEventSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      header: assetTransferHeaderSchema,
      attestations,
      previousOwner: z.string().min(1).max(1024),
      newOwner: z.string().min(1).max(1024),
      occurredAt: dateTimeSchema,
    })
    .meta({ id: 'AssetTransferEvent' }),
)
export type AssetTransferEvent = z.infer<typeof assetTransferEventSchema>

const decimal = /* @__PURE__ */ pure(() =>
  z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be a decimal without leading zeros'),
)
const receiptMembers = /* @__PURE__ */ pure(() => ({
  standard: z.enum(['erc721', 'erc1155']),
  contract: z.string().regex(/^0x[0-9a-f]{40}$/, 'must be 0x and 40 lowercase hex characters'),
  tokenId: decimal,
  chainId: decimal.optional(),
  txHash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lowercase hex characters')
    .optional(),
}))
export const addReceiptSchema = /* @__PURE__ */ pure(() =>
  z.strictObject(receiptMembers).meta({
    id: 'AddReceipt',
    description: 'The owner’s claim that a token represents the asset; not checked against a ledger',
  }),
)
export const assetReceiptSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...receiptMembers, mappedAt: dateTimeSchema })
    .meta({ id: 'AssetERCReceipt', description: 'A claim of the owner; not evidence from a ledger' }),
)
export type AssetReceipt = z.infer<typeof assetReceiptSchema>

export const assetRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      header: assetMintHeaderSchema,
      asset: assetCoreSchema,
      attestations,
      owner: z.string().meta({ description: 'DID of the owner' }),
      createdAt: z.string(),
      updatedAt: z.string(),
      transfers: z
        .array(assetTransferEventSchema)
        .max(MAX_TRANSFERS)
        .optional()
        .meta({ description: 'The newest 128' }),
      receipts: z.array(assetReceiptSchema).max(MAX_RECEIPTS).optional(),
    })
    .meta({ id: 'AssetRecord' }),
)
export type AssetRecord = z.infer<typeof assetRecordSchema>

const transferPage = /* @__PURE__ */ pure(() => ({
  transfers: z.array(assetTransferEventSchema).meta({ description: 'Every transfer of this page, oldest first' }),
  position: z.int().min(0).meta({ description: 'Of the first transfer of this page' }),
  count: z.int().min(0).meta({ description: 'Transfers so far: the position of the next one' }),
  cursor: z.string().nullable().meta({ description: 'Cursor of the next page of transfers; null at the end' }),
}))

export const assetExportSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/asset-export/v1'),
      exportedAt: z.string(),
      record: assetRecordSchema,
      ...transferPage,
    })
    .meta({ id: 'AssetExport' }),
)
export type AssetExport = z.infer<typeof assetExportSchema>

export const assetHistorySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      assetId: assetIdSchema,
      displaced: z
        .strictObject({
          record: assetRecordSchema.omit({ transfers: true }),
          displacedAt: z.string().meta({ description: 'RFC 3339' }),
          ...transferPage,
        })
        .nullable()
        .meta({ description: 'The unproved record that was current before; null if there was none' }),
    })
    .meta({ id: 'AssetHistory' }),
)
export type AssetHistoryPage = z.infer<typeof assetHistorySchema>

export const receiptsSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ assetId: assetIdSchema, receipts: z.array(assetReceiptSchema) }).meta({ id: 'AssetReceipts' }),
)
