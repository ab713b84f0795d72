import type * as z from 'zod'
import { encodeBase64url } from '#protocol/base/base64url'
import { hashHexAsync } from '#protocol/base/hash'
import {
  type Appended,
  type BlocksAnswer,
  type GenesisRecord,
  type GenesisRequest,
  genesisRecordSchema,
  type HeadAnswer,
  type PayloadAnswer,
  payloadAnswerSchema,
  type RootAnswer,
  rootAnswerSchema,
  syncStatusSchema,
} from '#protocol/chain/api'
import type { ChainBlock, ChainHead, GenesisBlock, SignedBlock } from '#protocol/chain/chain'
import type { Commitment } from '#protocol/chain/commitment'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { Piece } from '../memory/errors.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import type { LogWriter } from '../memory/log-writer.ts'
import { once } from '../services/once.ts'
import type { OnProgress } from '../transport/progress.ts'
import type { Transport } from '../transport/transport.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { checkGenesis, checkRoot } from './answers.ts'
import { chainName, headOfPlace, placeOfHead } from './chain-log.ts'
import { ChainReader, type PageQuery } from './chain-reader.ts'
import type { SentBlock } from './chain-writer.ts'
import { genesisName } from './genesis-name.ts'
import { KeyHistory } from './key-history.ts'
import { checkContent, type NewBlock, signGenesis, signNext } from './new-block.ts'

export type { NewBlock } from './new-block.ts'

export interface AppendedBlock extends Appended {
  readonly block: SignedBlock
}

export interface GenesisOptions {
  /** Default: the one that this client has begun with, or a new one. */
  readonly block?: GenesisBlock
  /** The keys that may follow the genesis key. */
  readonly commitment?: Commitment
}

/** The memory and key history that a chain is checked against. */
export interface KnownOfChain {
  readonly memory?: KnownLogs
  readonly keys?: KeyHistory
}

/** The signed chain of one identity. */
export class Chain {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory
  readonly #memory: KnownLogs
  readonly #reader: ChainReader
  readonly #writer = once(() => this.#makeWriter())

  // As results: see `safely`.
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeHead = safeTwin(this, 'head')
  readonly safePage = safeTwin(this, 'page')
  readonly safePayload = safeTwin(this, 'payload')
  readonly safeRoot = safeTwin(this, 'root')
  readonly safeReadGenesis = safeTwin(this, 'readGenesis')

  constructor(transport: Transport, base: string, owner: Identity | Device, known: KnownOfChain = {}) {
    const { memory = new KnownLogs(), keys = new KeyHistory(transport, base, memory) } = known
    this.#transport = transport
    this.#base = base
    this.#owner = owner
    this.#memory = memory
    this.#keys = keys
    this.#reader = new ChainReader({ transport, base, owner, keys, memory })
  }

  /** Only the root key signs blocks. */
  get #identity(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('A device cannot sign blocks: use the root key')
  }

  /**
   * Creates the identity at core with its genesis block, which names the keys that may follow: `commitmentOf(sheets, …)`.
   * Without them anyone who steals the root key can name the next one. Idempotent: one whose answer was lost is sent
   * again. Another client of this identity needs the signed `block` for that, with the `commitment` it was made with.
   */
  async genesis({ block, commitment }: GenesisOptions = {}): Promise<GenesisRecord> {
    const name = genesisName(this.#identity.did)
    const [known] = await this.#memory.recall<Piece<GenesisBlock>>(name)
    const started = block ? null : ((await this.#memory.pending(name)) as GenesisRequest | null)
    const signed = block ?? known?.signed ?? started?.block ?? (await this.makeGenesis(commitment))
    const committed = commitment ?? started?.commitment
    const body = committed ? { block: signed, commitment: committed } : { block: signed }
    if (!known) await this.#memory.hold(name, body)
    const call = { method: 'POST', url: `${this.#base}/api/genesis/init`, body } as const
    return this.#checkGenesis(this.#identity.did, await this.#transport.data(call, genesisRecordSchema))
  }

  /** Signs a genesis block without sending it. Send it with the same `commitment`. */
  async makeGenesis(commitment?: Commitment): Promise<GenesisBlock> {
    return signGenesis(this.#identity, this.#transport.now(), commitment)
  }

  /** Signs a block (profile 4) that follows `head`, without sending it. */
  async makeBlock(head: ChainHead, content: NewBlock): Promise<SignedBlock> {
    return signNext(this.#identity, { head, now: this.#transport.now() }, content)
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
    return this.#reader.head()
  }

  /** One page of blocks, ascending; at most 200. `next` is the `from` of the following page. */
  page(query: PageQuery = {}): Promise<BlocksAnswer> {
    return this.#reader.page(query)
  }

  /**
   * Every block from `from` on, in pages of 200. Throws if the service says that its answer may be incomplete, or if it
   * ends before the head.
   */
  async *blocks(from = 0): AsyncGenerator<ChainBlock> {
    for await (const { blocks } of this.#reader.pages(from)) yield* blocks
  }

  /**
   * Reads the whole chain, verifies every signature and link, trusting only the DID, and returns the head. Throws a
   * `VerificationError` that names the block. `onProgress` is told in blocks, after each page of 200.
   */
  async verify({ onProgress }: { readonly onProgress?: OnProgress } = {}): Promise<ChainHead> {
    return this.#reader.verify(onProgress)
  }

  /**
   * The payload of a block, by index or hash. Its hash is checked against the `dataHash` in the answer. If you do not
   * trust the service, compare that with the `dataHash` of the block in a verified chain.
   */
  async payload(blockId: string): Promise<{ readonly record: PayloadAnswer; readonly bytes: Uint8Array }> {
    const record = await this.#reader.get(`/api/chain/payload/${encodeURIComponent(blockId)}`, payloadAnswerSchema)
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
    return this.#reader.get('/api/sync/status', syncStatusSchema)
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
    const { chainWriter } = await import('./chain-writer.ts')
    return chainWriter({
      transport: this.#transport,
      base: this.#base,
      owner: this.#owner,
      memory: this.#memory,
      reader: this.#reader,
      publicKeyB64u: this.#identity.publicKeyB64u,
    })
  }
}
