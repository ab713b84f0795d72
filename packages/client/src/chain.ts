import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import {
  type ChainBlock,
  type ChainBlockV4,
  type ChainFault,
  type ChainHead,
  ChainVerifier,
  chainHeadSchema,
  GENESIS_CONTENT_TYPE,
  GENESIS_PREVIOUS_HASH,
  type GenesisBlock,
  type SignedBlock,
  signBlock,
} from '@svc/protocol/chain'
import {
  type Appended,
  appendedSchema,
  type BlocksAnswer,
  blocksAnswerSchema,
  type GenesisRecord,
  genesisRecordSchema,
  type HeadAnswer,
  headAnswerSchema,
  type PayloadAnswer,
  payloadAnswerSchema,
  type RootAnswer,
  rootAnswerSchema,
} from '@svc/protocol/chain-api'
import { syncStatusSchema } from '@svc/protocol/discovery'
import { hashHex } from '@svc/protocol/hash'
import { type Json, jcsBytes } from '@svc/protocol/jcs'
import { SIGNATURE_ALG } from '@svc/protocol/labels'
import { err, type Result } from '@svc/protocol/result'
import type * as z from 'zod'
import { checkAppended, checkGenesis, checkRoot } from './chain-answers.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import { KeyHistory } from './key-history.ts'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** How often an append follows a head that others have moved before it gives up. */
const MAX_REBASES = 8

export interface NewBlock {
  /** At most 184,320 bytes. The block carries its hash; the service keeps the bytes. */
  readonly payload?: Uint8Array
  /** Printable ASCII, at most 255 characters. */
  readonly contentType?: string
  /** Stays with the caller; the block carries the SHA3-384 of its canonical JSON. */
  readonly metadata?: { readonly [key: string]: Json }
}

export interface AppendedBlock extends Appended {
  readonly block: SignedBlock
}

/** The signed chain of one identity (document 1 section 4.2). */
export class Chain {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory

  constructor(transport: Transport, base: string, owner: Identity | Device) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#keys = new KeyHistory(transport, base)
  }

  /** Blocks are signed by the root key alone. */
  get #identity(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('a device signs no blocks')
  }

  /**
   * Creates the identity at core by its genesis block. `block` is what was signed: sent again it gives the same
   * answer, so a caller that lost the answer repeats it with the same block.
   */
  async genesis(block?: GenesisBlock): Promise<GenesisRecord> {
    const signed = block ?? (await this.makeGenesis())
    const call = { method: 'POST', url: `${this.#base}/api/genesis/init`, body: { block: signed } } as const
    return checkGenesis(this.#identity.did, await this.#transport.data(call, genesisRecordSchema))
  }

  /** Signs a genesis block and sends nothing. */
  async makeGenesis(): Promise<GenesisBlock> {
    const { scope, publicKeyB64u: ownerPublicKey } = this.#identity
    return signBlock<GenesisBlock>(
      {
        index: '0',
        timestamp: String(this.#transport.now()),
        previousHash: GENESIS_PREVIOUS_HASH,
        dataHash: hashHex(jcsBytes({ scope })),
        metadataHash: hashHex(jcsBytes({})),
        signatureAlg: SIGNATURE_ALG,
        ownerPublicKey,
        contentType: GENESIS_CONTENT_TYPE,
        version: 4,
        scope,
        epoch: 0,
      },
      (message) => this.#identity.sign(message),
    )
  }

  /** Signs a block (profile 4) that follows `head`, and sends nothing. */
  async makeBlock(head: ChainHead, content: NewBlock): Promise<SignedBlock> {
    const { scope, epoch, publicKeyB64u: ownerPublicKey } = this.#identity
    return signBlock<ChainBlockV4>(
      {
        index: String(Number(head.index) + 1),
        timestamp: String(this.#transport.now()),
        previousHash: head.hash,
        dataHash: hashHex(content.payload ?? new Uint8Array()),
        metadataHash: hashHex(jcsBytes(content.metadata ?? {})),
        signatureAlg: SIGNATURE_ALG,
        ownerPublicKey,
        ...(content.contentType === undefined ? {} : { contentType: content.contentType }),
        version: 4,
        scope,
        epoch,
      },
      (message) => this.#identity.sign(message),
    )
  }

  /**
   * Appends after the current head. When another writer is faster the block is made anew on the new head, up to
   * eight times. A block whose answer was lost is found in place and not appended twice.
   *
   * @param head saves a read when the caller knows it
   */
  async append(content: NewBlock, head?: ChainHead): Promise<AppendedBlock> {
    let current = head ?? (await this.head())
    for (let attempt = 0; ; attempt++) {
      const block = await this.makeBlock(current, content)
      const outcome = await this.#submit(block, content.payload)
      if (outcome.ok) return { ...outcome.value, block }
      if (attempt === MAX_REBASES) throw outcome.error
      current = outcome.head
    }
  }

  /** Sends a block as it is. A connection that breaks is tried once more with the same block. */
  async #submit(block: SignedBlock, payload: Uint8Array | undefined) {
    const body = { ...block, ...(payload ? { payloadB64u: encodeBase64url(payload) } : {}) }
    const call = { method: 'POST', url: `${this.#base}/api/chain/append`, audience: 'chain', body } as const
    try {
      const value = await this.#transport
        .data(call, appendedSchema)
        .catch((error: unknown) =>
          error instanceof TypeError ? this.#transport.data(call, appendedSchema) : Promise.reject(error),
        )
      return { ok: true as const, value: checkAppended(block, value) }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const earlier = appendedSchema.safeParse(error.details['appended'])
      if (earlier.success) return { ok: true as const, value: checkAppended(block, earlier.data) }
      const head = chainHeadSchema.safeParse(error.details['head'])
      if (error.error !== 'stale_head' || !head.success) throw error
      return { ok: false as const, error, head: head.data }
    }
  }

  /** Index (decimal) and hash (96 hex) of the newest block. */
  head(): Promise<HeadAnswer> {
    return this.#read('/api/chain/head', headAnswerSchema)
  }

  /** One page of blocks, ascending; at most 200. `next` is the `from` of the following page. */
  page(query: { from?: number; to?: number; limit?: number; contentType?: string } = {}): Promise<BlocksAnswer> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    return this.#read(`/api/chain/blocks${search.size === 0 ? '' : `?${search.toString()}`}`, blocksAnswerSchema)
  }

  /**
   * Every block from `from` on, in pages of 200. Throws when the service says that its answer may be partial, or ends
   * before the head that it names.
   */
  async *blocks(from = 0): AsyncGenerator<ChainBlock> {
    for (let next: string | null = String(from); next !== null; ) {
      const page: BlocksAnswer = await this.page({ from: Number(next), limit: 200 })
      if (page.indexing) throw new Error('the service is rebuilding its index: this is not full history')
      yield* page.blocks
      const last = Number(page.blocks.at(-1)?.index ?? Number(next) - 1)
      if (page.next !== null && (page.blocks.length === 0 || Number(page.next) <= last))
        throw new Error('the service answers in a circle')
      next = page.next
      if (next === null && last < Number(page.head.index)) throw new Error('the service left out its newest blocks')
    }
  }

  /** Reads the whole chain and verifies every signature and link against the DID alone. */
  async verify(): Promise<Result<ChainHead, ChainFault>> {
    const { did, epoch } = this.#owner
    // Before the first rotation there is no key but the one that the DID names.
    const verifier = new ChainVerifier(did, epoch === 0 ? [] : await this.#keys.of(did))
    for await (const block of this.blocks()) {
      const next = await verifier.next(block)
      if (!next.ok) return next
    }
    return verifier.head ? { ok: true, value: verifier.head } : err({ reason: 'empty' })
  }

  /**
   * The payload of a block, by index or hash. Its hash is checked against the `dataHash` in the answer; whoever does
   * not trust the service compares that with the `dataHash` of the block out of a verified chain.
   */
  async payload(blockId: string): Promise<{ readonly record: PayloadAnswer; readonly bytes: Uint8Array }> {
    const record = await this.#read(`/api/chain/payload/${encodeURIComponent(blockId)}`, payloadAnswerSchema)
    if (record.index !== blockId && record.hash !== blockId) throw new Error('core answered for another block')
    const bytes = bytesOf(record.payloadB64u)
    if (hashHex(bytes) !== record.dataHash) throw new Error('the payload does not have the hash that its block names')
    return { record, bytes }
  }

  /**
   * The current root key of any identity, and its newest rotation. The key must derive to the DID, or descend from the
   * one that does by rotations that both keys of each have signed. Needs no credential.
   */
  async root(did: string): Promise<RootAnswer> {
    const call = { method: 'GET', url: `${this.#base}/api/chain/root/${did}` } as const
    const answer = await this.#transport.data(call, rootAnswerSchema)
    return checkRoot(did, answer, answer.epoch === 0 ? [] : await this.#keys.of(did))
  }

  /** The published genesis record of any identity, verified. Needs no credential. */
  async readGenesis(did: string): Promise<GenesisRecord> {
    const call = { method: 'GET', url: `${this.#base}/api/genesis/${did}` } as const
    return checkGenesis(did, await this.#transport.data(call, genesisRecordSchema))
  }

  /** Whether the service holds records of this identity beyond genesis, and since when (epoch ms). */
  syncStatus(): Promise<z.output<typeof syncStatusSchema>> {
    return this.#read('/api/sync/status', syncStatusSchema)
  }

  #read<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'GET', url: this.#base + path, audience: 'chain' }, schema)
  }
}
