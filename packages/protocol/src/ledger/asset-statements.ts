/**
 * What is signed about assets (workers/docs/pages/developer/assets.md). Everything signed can be rebuilt from a record and
 * its export: `issuedAt` is the `signedAt` of the attestation in epoch milliseconds, `position` and the event before
 * come from the order of the transfers.
 *
 * @module
 */
import * as z from 'zod'
import { hashHexAsync, hashSchema } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { statementSchema } from '../base/statement.ts'
import {
  type AssetCore,
  type AssetMintHeader,
  type AssetRecord,
  type AssetTransferEvent,
  type AssetTransferHeader,
  assetCoreSchema,
  assetMintHeaderSchema,
  assetTransferHeaderSchema,
} from './assets.ts'
import type { BytesAt, GovernanceAttestation } from './attestations.ts'

/** What the minter signs. */
export const mintStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/asset-mint/v1', {
    header: assetMintHeaderSchema,
    asset: assetCoreSchema,
  }).meta({ id: 'AssetMintStatement' }),
)

/** What the previous owner signs. The hash of the event before fixes everything that happened to the asset until then. */
export const transferStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/asset-transfer/v1', {
    header: assetTransferHeaderSchema,
    previousOwner: z.string().min(1).max(1024),
    newOwner: z.string().min(1).max(1024),
    position: z.int().min(0).meta({ description: 'Number of earlier transfers' }),
    previousEventHash: hashSchema.meta({ description: 'Hash of the transfer before, or of the mint' }),
  }).meta({ id: 'AssetTransferStatement' }),
)

/** A core that has no id yet. */
export const unnamedCoreSchema = /* @__PURE__ */ assetCoreSchema.omit({ assetId: true })
export type UnnamedCore = z.infer<typeof unnamedCoreSchema>

/** The id that certifies who minted an asset and all of its core: nobody else can sign a mint under it. */
export async function assetIdOf(scope: string, core: UnnamedCore): Promise<string> {
  return `asset:sha3-384:${await hashHexAsync(jcsBytes({ type: 'svc/asset-id/v1', scope, core }))}`
}

/** Whether the id of this core is the hash of the scope and the rest of the core. */
export async function certifiesMinter({ assetId, ...core }: AssetCore, scope: string): Promise<boolean> {
  return assetId === (await assetIdOf(scope, core))
}

export function mintBytes(header: AssetMintHeader, asset: AssetCore, realm: string): BytesAt {
  return (issuedAt) => jcsBytes({ type: 'svc/asset-mint/v1', realm, header, asset, issuedAt })
}

/** Where a transfer stands. */
export interface TransferPlace {
  readonly previousOwner: string
  /** Number of earlier transfers. */
  readonly position: number
  /** `mintEventHash` for the first transfer, `transferEventHash` of the one before for any other. */
  readonly previousEventHash: string
}

export function transferBytes(header: AssetTransferHeader, place: TransferPlace, realm: string): BytesAt {
  const { previousOwner, position, previousEventHash } = place
  const moved = { header, previousOwner, newOwner: header.to, position, previousEventHash }
  return (issuedAt) => jcsBytes({ type: 'svc/asset-transfer/v1', realm, ...moved, issuedAt })
}

/** Includes the attestations: a transfer vouches for what its signer saw, unsigned events included. */
export function mintEventHash(
  minted: Pick<AssetRecord, 'header' | 'asset' | 'createdAt'> & {
    readonly attestations: readonly GovernanceAttestation[]
  },
): Promise<string> {
  const { header, asset, attestations, createdAt } = minted
  return hashHexAsync(jcsBytes({ type: 'svc/asset-event/v1', header, asset, attestations, createdAt }))
}

export function transferEventHash(event: AssetTransferEvent): Promise<string> {
  const { header, attestations, previousOwner, newOwner, occurredAt } = event
  const members = { header, attestations, previousOwner, newOwner, occurredAt }
  return hashHexAsync(jcsBytes({ type: 'svc/asset-event/v1', ...members }))
}
