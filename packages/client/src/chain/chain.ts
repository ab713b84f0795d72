import type * as z from 'zod'
import { encodeBase64url } from '#protocol/base/base64url'
import { hashHex, hashHexAsync } from '#protocol/base/hash'
import { type Json, jcsBytes } from '#protocol/base/jcs'
import { SIGNATURE_ALG } from '#protocol/base/labels'
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
} from '#protocol/chain/api'
import {
  blockHash,
  type ChainBlock,
  type ChainBlockV4,
  type ChainHead,
  ChainVerifier,
  chainBlockV4Schema,
  chainHeadSchema,
  GENESIS_CONTENT_TYPE,
  GENESIS_PREVIOUS_HASH,
  type GenesisBlock,
  MAX_PAYLOAD_BYTES,
  type SignedBlock,
  signBlock,
} from '#protocol/chain/chain'
import { answerSchema } from '#protocol/http/answer-schema'
import { syncStatusSchema } from '#protocol/http/discovery'
import { checkForm } from '../arguments/check-form.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Piece } from '../memory/errors.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { linkedLog } from '../memory/linked-log.ts'
import type { LogWriter } from '../memory/log-writer.ts'
import { RememberedLog } from '../memory/remembered-log.ts'
import { once } from '../services/once.ts'
import type { OnProgress } from '../transport/progress.ts'
import type { Transport } from '../transport/transport.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { checkAppended, checkGenesis, checkRoot } from './answers.ts'
import { chainLog, chainName, genesisName, headOfPlace, placeOfHead } from './chain-log.ts'
import { KeyHistory } from './key-history.ts'
import { headOf, verifyNext } from './verify-chain.ts'

export interface NewBlock {
  /** At most 184,320 bytes. The block carries its hash; the service keeps the bytes. */
  readonly payload?: Uint8Array
  /** Printable ASCII, at most 255 characters. */
  readonly contentType?: string
  /** Not sent; the block carries the SHA3-384 of its canonical JSON. */
  readonly metadata?: { readonly [key: string]: Json }
}

interface PageQuery {
  readonly from?: number
  readonly to?: number
  readonly limit?: number
  readonly contentType?: string
}

export interface AppendedBlock extends Appended {
  readonly block: SignedBlock
}

/** A signed block with the payload that is sent beside it. */
interface SentBlock {
  readonly block: SignedBlock
  readonly payloadB64u?: string
}

/** The signed chain of one identity. */
export class Chain {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory
  readonly #memory: KnownLogs
  readonly #writer = once(() => this.#makeWriter())

  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeHead = safeTwin(this, 'head')
  readonly safePage = safeTwin(this, 'page')
  readonly safePayload = safeTwin(this, 'payload')
  readonly safeRoot = safeTwin(this, 'root')
  readonly safeReadGenesis = safeTwin(this, 'readGenesis')

  constructor(transport: Transport, base: string, owner: Identity | Device, memory = new KnownLogs()) {
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#memory = memory
    this.#keys = new KeyHistory(transport, base, memory)
  }

  /** Only the root key signs blocks. */
  get #identity(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('A device cannot sign blocks: use the root key')
  }

  /**
   * Creates the identity at core with its genesis block. Idempotent: one whose answer was lost is sent again. Another
   * client of this identity needs the signed `block` for that.
   */
  async genesis(block?: GenesisBlock): Promise<GenesisRecord> {
    const name = genesisName(this.#identity.did)
    const [known] = await this.#memory.recall<Piece<GenesisBlock>>(name)
    const started = known?.signed ?? ((await this.#memory.pending(name)) as GenesisBlock | null)
    const signed = block ?? started ?? (await this.makeGenesis())
    if (!known) await this.#memory.hold(name, signed)
    const call = { method: 'POST', url: `${this.#base}/api/genesis/init`, body: { block: signed } } as const
    return this.#checkGenesis(this.#identity.did, await this.#transport.data(call, genesisRecordSchema))
  }

  /** Signs a genesis block without sending it. */
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
      signerOf(this.#identity, 'block'),
    )
  }

  /** Signs a block (profile 4) that follows `head`, without sending it. */
  async makeBlock(head: ChainHead, content: NewBlock): Promise<SignedBlock> {
    const { scope, epoch, publicKeyB64u: ownerPublicKey } = this.#identity
    return signBlock<ChainBlockV4>(
      {
        index: String(Number(head.index) + 1),
        timestamp: String(this.#transport.now()),
        previousHash: head.hash,
        dataHash: await hashHexAsync(content.payload ?? new Uint8Array()),
        metadataHash: hashHex(jcsBytes(content.metadata ?? {})),
        signatureAlg: SIGNATURE_ALG,
        ownerPublicKey,
        ...(content.contentType === undefined ? {} : { contentType: content.contentType }),
        version: 4,
        scope,
        epoch,
      },
      signerOf(this.#identity, 'block'),
    )
  }

  /**
   * Appends to the current head, if it extends everything that this client has seen and signed; throws a `HistoryError`
   * otherwise. If another writer is faster, rebuilds the block on the new head, up to eight times.
   *
   * Never signs two blocks for one place. A block that got no answer, or was refused, keeps its place: the next call
   * sends it first, and only returns it if its content is the same. `discard` gives the place up.
   *
   * @param head saves a read if you know it
   */
  async append(content: NewBlock, head?: ChainHead): Promise<AppendedBlock> {
    const fields = await checkContent(content)
    const payloadB64u = content.payload && encodeBase64url(content.payload)
    const writer = await this.#writer()
    const { sent, answer } = await writer.append({
      make: async (place) => {
        const block = await this.makeBlock(headOfPlace(place), content)
        return payloadB64u === undefined ? { block } : { block, payloadB64u }
      },
      isSame: ({ block }) => fields.every(([name, value]) => block[name] === value),
      head: head && placeOfHead(head),
    })
    return { ...answer, block: sent.block }
  }

  /**
   * Forgets a block that has no answer or was refused, and returns it, or null. If the service has it after all, it can
   * then show two blocks of yours for one place.
   */
  async discard(): Promise<SignedBlock | null> {
    const name = chainName(this.#owner.did)
    const sent = (await this.#memory.pending(name)) as SentBlock | null
    await this.#memory.hold(name, null)
    return sent?.block ?? null
  }

  /**
   * Index (decimal) and hash (96 hex) of the newest block. Reads the blocks since the newest one that this client knows,
   * and throws a `HistoryError` if they do not follow it.
   */
  head(): Promise<HeadAnswer> {
    return this.#log.ask(() => this.#read('/api/chain/head', headAnswerSchema), placeOfHead)
  }

  /** One page of blocks, ascending; at most 200. `next` is the `from` of the following page. */
  page(query: PageQuery = {}): Promise<BlocksAnswer> {
    return this.#log.glance(
      () => this.#readPage(query),
      ({ head }) => placeOfHead(head),
    )
  }

  #readPage(query: PageQuery): Promise<BlocksAnswer> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    return this.#read(`/api/chain/blocks${search.size === 0 ? '' : `?${search.toString()}`}`, blocksAnswerSchema)
  }

  /**
   * Every block from `from` on, in pages of 200. Throws if the service says that its answer may be incomplete, or if it
   * ends before the head.
   */
  async *blocks(from = 0): AsyncGenerator<ChainBlock> {
    for await (const { blocks } of this.#pages(from)) yield* blocks
  }

  async *#pages(from: number): AsyncGenerator<BlocksAnswer> {
    for (let next: string | null = String(from); next !== null; ) {
      const page: BlocksAnswer = complete(await this.page({ from: Number(next), limit: 200 }))
      yield page
      const last = Number(page.blocks.at(-1)?.index ?? Number(next) - 1)
      if (page.next !== null && (page.blocks.length === 0 || Number(page.next) <= last))
        throw unverified('chain', 'repeated', 'The service repeats pages')
      next = page.next
      if (next === null && last < Number(page.head.index))
        throw unverified('chain', 'left_out', 'The service left out the newest blocks', {
          where: { block: page.head.index },
        })
    }
  }

  /**
   * Reads the whole chain, verifies every signature and link, trusting only the DID, and returns the head. Throws a
   * `VerificationError` that names the block. `onProgress` is told in blocks, after each page of 200.
   */
  async verify({ onProgress }: { readonly onProgress?: OnProgress } = {}): Promise<ChainHead> {
    const { did, epoch } = this.#owner
    // Before the first rotation, the DID names the only key.
    const verifier = new ChainVerifier(did, epoch === 0 ? [] : await this.#keys.of(did))
    const replay = await this.#log.replay()
    let last: Piece<ChainBlock> | null = null
    for await (const { blocks, head } of this.#pages(0)) {
      for (const block of blocks) {
        last = { ...placeOfHead(await verifyNext(verifier, block)), signed: block }
        replay.saw(last)
      }
      onProgress?.({ done: (last?.position ?? -1) + 1, total: Number(head.index) + 1 })
    }
    const head = headOf(verifier)
    if (last) await replay.end(last)
    return head
  }

  /**
   * The payload of a block, by index or hash. Its hash is checked against the `dataHash` in the answer. If you do not
   * trust the service, compare that with the `dataHash` of the block in a verified chain.
   */
  async payload(blockId: string): Promise<{ readonly record: PayloadAnswer; readonly bytes: Uint8Array }> {
    const record = await this.#read(`/api/chain/payload/${encodeURIComponent(blockId)}`, payloadAnswerSchema)
    if (record.index !== blockId && record.hash !== blockId)
      throw unverified('payload', 'different_answer', 'Core answered for a different block', {
        where: { block: blockId },
      })
    const bytes = readBytesOf('payload', 'payloadB64u', record.payloadB64u)
    if ((await hashHexAsync(bytes)) !== record.dataHash)
      throw unverified('payload', 'hash_mismatch', 'The payload does not match the hash in its block', {
        where: { block: record.index },
        evidence: record,
      })
    return { record, bytes }
  }

  /**
   * The current root key of any identity, and its newest rotation. The key must derive to the DID, or descend from the
   * key that does through rotations signed by both keys. Needs no credential.
   */
  async root(did: string): Promise<RootAnswer> {
    const call = { method: 'GET', url: `${this.#base}/api/chain/root/${did}` } as const
    const answer = await this.#transport.data(call, rootAnswerSchema)
    if (did === this.#owner.did) this.#transport.pending.seeNewest(answer.rotation)
    const root = checkRoot(did, answer, answer.epoch === 0 ? [] : await this.#keys.of(did))
    await this.#keys.refuseOlder(did, root)
    return root
  }

  /** The published genesis record of any identity, verified. Needs no credential. */
  async readGenesis(did: string): Promise<GenesisRecord> {
    const call = { method: 'GET', url: `${this.#base}/api/genesis/${did}` } as const
    return this.#checkGenesis(did, await this.#transport.data(call, genesisRecordSchema))
  }

  /** Whether the service has records of this identity beyond genesis, and since when (epoch ms). */
  syncStatus(): Promise<z.output<typeof syncStatusSchema>> {
    return this.#read('/api/sync/status', syncStatusSchema)
  }

  /** Verifies a genesis record, and that it is the one that was shown before. */
  async #checkGenesis(did: string, answer: GenesisRecord): Promise<GenesisRecord> {
    const record = await checkGenesis(did, answer)
    const piece = { position: 0, hash: record.hash, signed: record.block }
    await this.#memory.advance(genesisName(did), piece, [])
    await this.#memory.hold(genesisName(did), null)
    if ((await this.#memory.recall(chainName(did))).length === 0) await this.#memory.advance(chainName(did), piece, [])
    return record
  }

  /** Its code is loaded with the first block: who only reads does without. */
  async #makeWriter(): Promise<LogWriter<SentBlock, ChainBlock | null, Appended>> {
    const { LogWriter } = await import('../memory/log-writer.ts')
    return new LogWriter({
      memory: this.#memory,
      log: () => ({ name: chainName(this.#owner.did), remembered: this.#log }),
      pieceOf: ({ block }) => ({ position: Number(block.index), hash: blockHash(block), signed: block }),
      head: async () => placeOfHead(await this.head()),
      send: async ({ block, ...payload }) => {
        const url = `${this.#base}/api/chain/append`
        const call = { method: 'POST', url, audience: 'chain', body: { ...block, ...payload } } as const
        return checkAppended(block, await this.#transport.data(call, appendedSchema))
      },
      isThere: ({ details }, { block }) => {
        const earlier = answerSchema(appendedSchema).safeParse(details['appended'])
        return earlier.success ? checkAppended(block, earlier.data) : null
      },
      movedTo: ({ error, details }) => {
        const head = answerSchema(chainHeadSchema).safeParse(details['head'])
        return error === 'stale_head' && head.success ? placeOfHead(head.data) : null
      },
      isOurs: ({ block }) => block.ownerPublicKey === this.#identity.publicKeyB64u,
      // A refusal is unsigned, so it does not prove that the service dropped the block.
      keepsRefused: true,
    })
  }

  get #log(): RememberedLog<ChainBlock | null> {
    const { did, epoch, userId } = this.#owner
    const own = this.#owner instanceof Identity ? { epoch, userId, publicKeyB64u: this.#owner.publicKeyB64u } : null
    const log = chainLog({ did, own, keys: this.#keys, blocks: (from, to) => this.#blocksBetween(from, to) })
    return new RememberedLog(this.#memory, linkedLog(log))
  }

  async *#blocksBetween(first: number, to: number): AsyncGenerator<ChainBlock> {
    for (let from: number | null = first; from !== null; ) {
      const page: BlocksAnswer = await this.#readPage({ from, to, limit: 200 })
      yield* page.blocks
      from += page.blocks.length
      // The reader stops at `to`. While the service rebuilds its index, a gap is not a lie.
      if (page.next === null || page.blocks.length === 0) from = from <= to ? complete(page) && null : null
    }
  }

  #read<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'GET', url: this.#base + path, audience: 'chain' }, schema)
  }
}

function complete(page: BlocksAnswer): BlocksAnswer {
  if (page.indexing)
    throw unverified(
      'chain',
      'incomplete',
      'The service is rebuilding its index: the history is incomplete, try again later',
    )
  return page
}

/** The members of a block that its content determines. Throws before anything is signed that core would refuse. */
async function checkContent({ payload, contentType, metadata }: NewBlock) {
  if (payload && payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('A payload can have at most 180 KiB')
  return [
    ['dataHash', await hashHexAsync(payload ?? new Uint8Array())],
    ['metadataHash', hashHex(jcsBytes(metadata ?? {}))],
    [
      'contentType',
      checkForm('chain.append', 'content.contentType', chainBlockV4Schema.shape.contentType, contentType),
    ],
  ] as const
}
