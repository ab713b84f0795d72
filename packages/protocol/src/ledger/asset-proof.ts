/**
 * What signatures prove about an asset (workers/docs/pages/developer/assets.md). The owner is proved if an unbroken chain
 * of signatures leads from the id to that owner: the id certifies the minter, the minter signed the mint, and each owner
 * signed the transfer to the next, at its place. Everything else in a record is what the service claims.
 *
 * @module
 */
import { decodeBase64url } from '../base/base64url.ts'
import { didOf, userIdOf } from '../base/identity.ts'
import { PUBLIC_KEY_BYTES } from '../base/labels.ts'
import { certifiesMinter, mintBytes, mintEventHash, transferBytes, transferEventHash } from './asset-statements.ts'
import type { AssetRecord, AssetTransferEvent } from './assets.ts'
import { type BytesAt, type GovernanceAttestation, verifyAttestations } from './attestations.ts'

/** The root keys of a DID, the genesis key first, as verified by the caller. */
export type RootKeysOf = (
  did: string,
) => Promise<readonly { readonly userId: string; readonly publicKeyB64u: string }[]>

export interface ProofContext {
  /** The realms that the reader accepts: more than one for a deployment that moved. */
  readonly realms: readonly string[]
  /** Asked only for identities whose genesis key did not sign. */
  readonly rootKeysOf: RootKeysOf
}

/** An asset with every transfer, oldest first: a record with fewer than 128 transfers, or an export. */
export interface AssetEvents {
  readonly record: AssetRecord
  readonly transfers: readonly AssetTransferEvent[]
}

export type ClaimReason =
  /** The id is not the hash of the minter's scope and the core. */
  | 'id_not_certified'
  /** The minter's root key did not sign the mint. */
  | 'mint_unsigned'
  /** The owner's root key did not sign the transfer at `position` for this place in the history. */
  | 'transfer_unsigned'
  /** The transfers do not lead to the owner of the record. */
  | 'owner_differs'
  /** The record has only the newest transfers; an export has all. */
  | 'history_incomplete'

export type OwnerProof =
  | { readonly owner: 'proved'; readonly did: string; readonly minter: string }
  | { readonly owner: 'claimed'; readonly did: string; readonly reason: ClaimReason; readonly position?: number }

/** Whether signatures prove the owner of the record. A root key proves who signed, not when: a stolen old key signs too. */
export async function proveOwner({ record, transfers }: AssetEvents, context: ProofContext): Promise<OwnerProof> {
  const claimed = (reason: ClaimReason) => ({ owner: 'claimed', did: record.owner, reason }) as const
  const minter = transfers[0]?.previousOwner ?? record.owner
  const fault = await mintFault(record, minter, context)
  if (fault) return claimed(fault)
  let owner = minter
  let previousEventHash = await mintEventHash(record)
  for (const [position, event] of transfers.entries()) {
    if (!(await isSigned(event, { assetId: record.asset.assetId, owner, position, previousEventHash }, context))) {
      return { ...claimed('transfer_unsigned'), position }
    }
    owner = event.newOwner
    previousEventHash = await transferEventHash(event)
  }
  return owner === record.owner ? { owner: 'proved', did: owner, minter } : claimed('owner_differs')
}

async function mintFault(record: AssetRecord, minter: string, context: ProofContext): Promise<ClaimReason | null> {
  const { header, asset, attestations } = record
  const scope = await scopeOfSigner(header.userId, minter, context)
  if (scope === null || !(await certifiesMinter(asset, scope))) return 'id_not_certified'
  const bytes = context.realms.map((realm) => mintBytes(header, asset, realm))
  const isOurs = header.assetId === asset.assetId && (await hasSigned(header.userId, attestations, bytes))
  return isOurs ? null : 'mint_unsigned'
}

interface ExpectedPlace {
  readonly assetId: string
  readonly owner: string
  readonly position: number
  readonly previousEventHash: string
}

async function isSigned(event: AssetTransferEvent, place: ExpectedPlace, context: ProofContext): Promise<boolean> {
  const { header, attestations, previousOwner, newOwner } = event
  const { assetId, owner, position, previousEventHash } = place
  if (header.assetId !== assetId || header.to !== newOwner || previousOwner !== owner) return false
  if ((await scopeOfSigner(header.userId, owner, context)) === null) return false
  const at = { previousOwner, position, previousEventHash }
  const bytes = context.realms.map((realm) => transferBytes(header, at, realm))
  return hasSigned(header.userId, attestations, bytes)
}

/** The scope of a DID, if the userId is that of one of its root keys. */
async function scopeOfSigner(userId: string, did: string, { rootKeysOf }: ProofContext): Promise<string | null> {
  if (/^[0-9a-f]{96}$/.test(userId) && didOf(userId) === did) return userId
  const keys = await rootKeysOf(did)
  const [genesis] = keys
  return genesis && keys.some((key) => key.userId === userId) ? genesis.userId : null
}

/** Whether the key of this userId signed one of these, which differ by realm. */
async function hasSigned(
  userId: string,
  attestations: readonly GovernanceAttestation[],
  bytes: readonly BytesAt[],
): Promise<boolean> {
  for (const attestation of attestations) {
    const publicKey = decodeBase64url(attestation.publicKeyB64u)
    const isTheirs = publicKey?.length === PUBLIC_KEY_BYTES && userIdOf(publicKey) === userId
    if (isTheirs && (await verifyAttestations([attestation], bytes)).ok) return true
  }
  return false
}
