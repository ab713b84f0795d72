import type * as z from 'zod'
import { jcs } from '#protocol/base/jcs'
import { type OwnerProof, type ProofContext, proveOwner } from '#protocol/ledger/asset-proof'
import {
  assetIdOf,
  mintBytes,
  mintEventHash,
  type TransferPlace,
  transferBytes,
  transferEventHash,
  type UnnamedCore,
  unnamedCoreSchema,
} from '#protocol/ledger/asset-statements'
import {
  type AssetExport,
  type AssetHistoryPage,
  type AssetReceipt,
  type AssetRecord,
  type AssetTransferEvent,
  addReceiptSchema,
  assetExportSchema,
  assetHistorySchema,
  assetMintHeaderSchema,
  assetRecordSchema,
  assetTransferHeaderSchema,
  MAX_TRANSFERS,
  receiptsSchema,
} from '#protocol/ledger/assets'
import { checkForm } from '../arguments/check-form.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { attestationBy } from './attestation.ts'

export interface AppInfo {
  /** 1 to 32 characters of a-z 0-9 -, starting with a letter. */
  readonly name: string
  /** A semantic version. */
  readonly version: string
}

/** A record, and whether signatures prove its owner. Without proof, the owner is what core claims. */
export interface ReadAsset {
  readonly record: AssetRecord
  readonly proof: OwnerProof
}

export interface ExportedAsset extends ReadAsset {
  /** All of them, oldest first. */
  readonly transfers: readonly AssetTransferEvent[]
}

/** An unproved record that a proved one displaced. */
export interface DisplacedAsset {
  readonly record: Omit<AssetRecord, 'transfers'>
  /** RFC 3339. */
  readonly displacedAt: string
  readonly transfers: readonly AssetTransferEvent[]
}

/**
 * Assets: what was minted and who owns it, as recorded by this service and as far as signatures prove it. A device reads
 * and exports them, and records tokens; the root key mints and transfers.
 */
export class Assets {
  // As results: see `safely`.
  readonly safeRead = safeTwin(this, 'read')
  readonly safeExport = safeTwin(this, 'export')
  readonly safeReceipts = safeTwin(this, 'receipts')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #app: AppInfo
  readonly #context: ProofContext

  constructor(transport: Transport, core: string, parts: { owner: Identity | Device; app: AppInfo; keys: KeyHistory }) {
    this.#transport = transport
    this.#base = `${core}/api/assets`
    this.#owner = parts.owner
    this.#app = parts.app
    this.#context = { realms: transport.realms, rootKeysOf: (did) => parts.keys.of(did).catch(noneIfUnknown) }
  }

  /**
   * Records an asset of this identity, signed by its root key, under the id that certifies both. It displaces what
   * others recorded under that id without proof. Idempotent: returns the record while this identity owns it. Throws an
   * Error if core's record does not prove the mint.
   */
  async mint(core: UnnamedCore): Promise<AssetRecord> {
    const unnamed = checkForm('assets.mint', 'core', unnamedCoreSchema, core)
    const asset = { assetId: await assetIdOf(this.#identity.scope, unnamed), ...unnamed }
    const header = assetMintHeaderSchema.parse({ ...this.#header(asset.assetId), action: 'asset/mint' })
    const attestations = [await this.#attest(mintBytes(header, asset, this.#transport.realm))]
    const body = { header, asset, attestations }
    const record = sameAsset(asset.assetId, await this.#call('POST', '/mint', assetRecordSchema, body))
    const minted = { ...record, owner: this.#identity.did }
    const { owner } = await proveOwner({ record: minted, transfers: [] }, this.#context)
    if (owner === 'claimed') throw unverified('asset', 'mint_unsigned', 'Core’s record does not prove the mint')
    return record
  }

  /**
   * Transfers an asset to the identity of a DID, signed by this identity's root key over the whole history so far.
   * Throws an Error if core's record does not have this transfer.
   */
  async transfer(assetId: string, to: string): Promise<AssetRecord> {
    const header = checkForm('assets.transfer', 'header', assetTransferHeaderSchema, {
      ...this.#header(assetId),
      action: 'asset/transfer',
      to,
    })
    const bytes = transferBytes(header, await this.#nextPlace(assetId), this.#transport.realm)
    const body = { header, attestations: [await this.#attest(bytes)] }
    const record = sameAsset(assetId, await this.#call('POST', '/transfer', assetRecordSchema, body))
    const last = record.transfers?.at(-1)
    if (!last || jcs(last.header) !== jcs(header))
      throw unverified('asset', 'left_out', 'Core did not record the transfer')
    return record
  }

  /** The record with its latest 128 transfers. `proof` tells whether its owner is proved or only claimed. */
  async read(assetId: string): Promise<ReadAsset> {
    const record = sameAsset(assetId, await this.#call('GET', `/${assetId}`, assetRecordSchema))
    const { transfers = [] } = record
    const proof = await proveOwner({ record, transfers }, this.#context)
    const isPartial = transfers.length === MAX_TRANSFERS && proof.owner === 'claimed'
    return { record, proof: isPartial ? { owner: 'claimed', did: record.owner, reason: 'history_incomplete' } : proof }
  }

  /** The record and all transfers, which prove the owner if each owner signed. Owner only. */
  async export(assetId: string): Promise<ExportedAsset> {
    const transfers: AssetTransferEvent[] = []
    for (let cursor = '0'; ; ) {
      const page: AssetExport = await this.#call('POST', `/${assetId}/export?cursor=${cursor}`, assetExportSchema)
      const record = sameAsset(assetId, page.record)
      const next = follow(page, transfers, cursor)
      if (next === null) return { record, transfers, proof: await proveOwner({ record, transfers }, this.#context) }
      cursor = next
    }
  }

  /** The unproved record that a proved one displaced, with all its transfers; null if there was none. */
  async displaced(assetId: string): Promise<DisplacedAsset | null> {
    const transfers: AssetTransferEvent[] = []
    for (let cursor = '0'; ; ) {
      const path = `/${assetId}/history?cursor=${cursor}`
      const page: AssetHistoryPage = await this.#call('GET', path, assetHistorySchema)
      if (page.assetId !== assetId) throw unverified('asset', 'different_answer', 'Core answered for a different asset')
      if (!page.displaced) return null
      const { record, displacedAt } = page.displaced
      const next = follow(page.displaced, transfers, cursor)
      if (next === null) return { record: sameAsset(assetId, record), displacedAt, transfers }
      cursor = next
    }
  }

  /** The tokens that owners recorded for an asset. */
  async receipts(assetId: string): Promise<readonly AssetReceipt[]> {
    const answer = await this.#call('GET', `/${assetId}/receipts`, receiptsSchema)
    if (answer.assetId !== assetId) throw unverified('asset', 'different_answer', 'Core answered for a different asset')
    return answer.receipts
  }

  /** Records that a token represents an asset of this identity; at most 128. No ledger is involved. */
  async addReceipt(assetId: string, receipt: z.input<typeof addReceiptSchema>): Promise<AssetRecord> {
    const body = checkForm('assets.addReceipt', 'receipt', addReceiptSchema, receipt)
    return sameAsset(assetId, await this.#call('POST', `/${assetId}/receipts`, assetRecordSchema, body))
  }

  get #identity(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('A device cannot sign for assets: use the root key')
  }

  /** After the newest event that core shows. Another history than core's makes a signature that core refuses. */
  async #nextPlace(assetId: string): Promise<TransferPlace> {
    const record = sameAsset(assetId, await this.#call('GET', `/${assetId}`, assetRecordSchema))
    const { transfers = [] } = record
    const last = transfers.at(-1)
    return {
      previousOwner: this.#identity.did,
      position: transfers.length < MAX_TRANSFERS ? transfers.length : await this.#count(assetId),
      previousEventHash: last ? await transferEventHash(last) : await mintEventHash(record),
    }
  }

  async #count(assetId: string): Promise<number> {
    return (await this.#call('POST', `/${assetId}/export`, assetExportSchema)).count
  }

  #attest(bytesAt: (issuedAt: number) => Uint8Array) {
    return attestationBy(this.#identity, bytesAt, this.#transport.now())
  }

  #header(assetId: string) {
    const timestamp = new Date(this.#transport.now()).toISOString()
    return { userId: this.#identity.userId, assetId, timestamp, app: this.#app }
  }

  #call<S extends z.ZodType>(method: 'GET' | 'POST', path: string, schema: S, body?: unknown): Promise<z.output<S>> {
    const call = { method, url: this.#base + path, audience: 'chain', ...(body === undefined ? {} : { body }) }
    return this.#transport.data(call, schema)
  }
}

/** Without keys nothing is proved. Any other fault is not an answer. */
function noneIfUnknown(error: unknown): readonly [] {
  if (error instanceof ServiceError && error.status === 404) return []
  throw error
}

/** Adds a page that continues the transfers so far; returns the next cursor. */
function follow(
  page: Pick<AssetExport, 'transfers' | 'position' | 'cursor'>,
  transfers: AssetTransferEvent[],
  cursor: string,
): string | null {
  if (page.position !== transfers.length)
    throw unverified('asset', 'left_out', 'The service left out transfers', { where: { position: transfers.length } })
  transfers.push(...page.transfers)
  if (page.cursor !== null && !(Number(page.cursor) > Number(cursor)))
    throw unverified('asset', 'repeated', 'The service repeats pages')
  return page.cursor
}

function sameAsset<R extends Pick<AssetRecord, 'header' | 'asset'>>(assetId: string, record: R): R {
  const { header, asset } = record
  if (header.assetId !== assetId || asset.assetId !== assetId)
    throw unverified('asset', 'different_answer', 'Core answered for a different asset')
  return record
}
