import {
  type AssetCore,
  type AssetExport,
  type AssetReceipt,
  type AssetRecord,
  type AssetTransferEvent,
  addReceiptSchema,
  assetExportSchema,
  assetMintHeaderSchema,
  assetRecordSchema,
  assetTransferHeaderSchema,
  mintBytes,
  receiptsSchema,
  transferBytes,
} from '@svc/protocol/assets'
import type * as z from 'zod'
import { attestationBy } from './attestation.ts'
import type { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

export interface AppInfo {
  /** 1 to 32 of a-z 0-9 -, a letter first. */
  readonly name: string
  /** A semantic version. */
  readonly version: string
}

/** Assets (document 1 section 4.7): what was minted and who owns it, as this service records it. */
export class Assets {
  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity
  readonly #app: AppInfo

  constructor(transport: Transport, core: string, identity: Identity, app: AppInfo) {
    this.#transport = transport
    this.#base = `${core}/api/assets`
    this.#identity = identity
    this.#app = app
  }

  /** Records an asset as this identity's, attested by its root key. The same mint again gives the record. */
  async mint(asset: AssetCore): Promise<AssetRecord> {
    const header = assetMintHeaderSchema.parse({ ...this.#header(asset.assetId), action: 'asset/mint' })
    const body = { header, asset, attestations: [await attestationBy(this.#identity, mintBytes(header, asset))] }
    return sameAsset(asset.assetId, await this.#call('POST', '/mint', assetRecordSchema, body))
  }

  /** Hands an asset over to the identity of a DID, attested by this identity's root key. */
  async transfer(assetId: string, to: string): Promise<AssetRecord> {
    const header = assetTransferHeaderSchema.parse({ ...this.#header(assetId), action: 'asset/transfer', to })
    const body = { header, attestations: [await attestationBy(this.#identity, transferBytes(header))] }
    return sameAsset(assetId, await this.#call('POST', '/transfer', assetRecordSchema, body))
  }

  /** The record with its newest 128 transfers. */
  async read(assetId: string): Promise<AssetRecord> {
    return sameAsset(assetId, await this.#call('GET', `/${assetId}`, assetRecordSchema))
  }

  /** The record and every transfer, oldest first. For the owner. */
  async export(assetId: string): Promise<{ record: AssetRecord; transfers: readonly AssetTransferEvent[] }> {
    const transfers: AssetTransferEvent[] = []
    for (let cursor = '0'; ; ) {
      const page: AssetExport = await this.#call('POST', `/${assetId}/export?cursor=${cursor}`, assetExportSchema)
      const record = sameAsset(assetId, page.record)
      transfers.push(...page.transfers)
      if (page.cursor === null) return { record, transfers }
      if (!(Number(page.cursor) > Number(cursor))) throw new Error('the service answers in a circle')
      cursor = page.cursor
    }
  }

  /** The tokens that owners have stated for an asset. */
  async receipts(assetId: string): Promise<readonly AssetReceipt[]> {
    const answer = await this.#call('GET', `/${assetId}/receipts`, receiptsSchema)
    if (answer.assetId !== assetId) throw new Error('core answered for another asset')
    return answer.receipts
  }

  /** States that a token stands for an asset of this identity; at most 128. No ledger is asked. */
  async addReceipt(assetId: string, receipt: z.input<typeof addReceiptSchema>): Promise<AssetRecord> {
    const body = addReceiptSchema.parse(receipt)
    return sameAsset(assetId, await this.#call('POST', `/${assetId}/receipts`, assetRecordSchema, body))
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

function sameAsset(assetId: string, record: AssetRecord): AssetRecord {
  const { header, asset } = record
  if (header.assetId !== assetId || asset.assetId !== assetId) throw new Error('core answered for another asset')
  return record
}
