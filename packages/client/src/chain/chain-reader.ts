import type * as z from 'zod'
import { type BlocksAnswer, blocksAnswerSchema, type HeadAnswer, headAnswerSchema } from '#protocol/chain/api'
import { type ChainBlock, type ChainHead, ChainVerifier } from '#protocol/chain/chain'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { Piece } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { linkedLog } from '../memory/linked-log.ts'
import { RememberedLog } from '../memory/remembered-log.ts'
import type { OnProgress } from '../transport/progress.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { chainLog, placeOfHead } from './chain-log.ts'
import type { KeyHistory } from './key-history.ts'
import { headOf, verifyNext } from './verify-chain.ts'

export interface PageQuery {
  readonly from?: number
  readonly to?: number
  readonly limit?: number
  readonly contentType?: string
}

interface Parts {
  readonly transport: Transport
  readonly base: string
  readonly owner: Identity | Device
  readonly keys: KeyHistory
  readonly memory: KnownLogs
}

/** Reads the chain of one identity, page by page, and refuses what contradicts the pages before. */
export class ChainReader {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The chain, as the rule of memory reads it. */
  get log(): RememberedLog<ChainBlock | null> {
    const { owner, keys, memory } = this.#parts
    const { did, epoch, userId } = owner
    const own = owner instanceof Identity ? { epoch, userId, publicKeyB64u: owner.publicKeyB64u } : null
    const log = chainLog({ did, own, keys, blocks: (from, to) => this.#blocksBetween(from, to) })
    return new RememberedLog(memory, linkedLog(log))
  }

  head(): Promise<HeadAnswer> {
    return this.log.ask(() => this.get('/api/chain/head', headAnswerSchema), placeOfHead)
  }

  page(query: PageQuery): Promise<BlocksAnswer> {
    return this.log.glance(
      () => this.#readPage(query),
      ({ head }) => placeOfHead(head),
    )
  }

  /** The pages from a block on. Throws if the service leaves out the newest ones. */
  async *pages(from: number): AsyncGenerator<BlocksAnswer> {
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

  /** Every signature and link of the whole chain, trusting only the DID. */
  async verify(onProgress: OnProgress | undefined): Promise<ChainHead> {
    const { owner, keys } = this.#parts
    const { did, epoch } = owner
    // Before the first rotation, the DID names the only key.
    const verifier = new ChainVerifier(did, epoch === 0 ? [] : await keys.of(did))
    const replay = await this.log.replay()
    let last: Piece<ChainBlock> | null = null
    for await (const { blocks, head } of this.pages(0)) {
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

  get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    const { transport, base } = this.#parts
    return transport.data({ method: 'GET', url: base + path, audience: 'chain' }, schema)
  }

  #readPage(query: PageQuery): Promise<BlocksAnswer> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    return this.get(`/api/chain/blocks${search.size === 0 ? '' : `?${search.toString()}`}`, blocksAnswerSchema)
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
