/**
 * Core as far as the SDK can tell, given to it as `fetch`: it verifies assertions, spends their nonces and holds blocks
 * against the rules of the chain, so that a client which breaks one of them fails here as it would there.
 */
import { verifyAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { didOf } from '@svc/protocol/base/identity'
import type { Indexing } from '@svc/protocol/chain/api'
import {
  appendRequestSchema,
  blockHash,
  type ChainBlock,
  type ChainHead,
  checkLink,
  type SignedBlock,
  verifyBlockSignature,
} from '@svc/protocol/chain/chain'

export const CORE = 'https://core.test'
const PAGE = 3

export class FakeCore {
  readonly blocks: SignedBlock[] = []
  /** How many of the newest blocks pages leave out. */
  withheld = 0
  readonly requests: Request[] = []
  readonly payloads = new Map<string, string>()
  readonly #nonces = new Set<string>()
  /** The server's clock. */
  now = 1_790_000_000_000
  indexing: Indexing | undefined
  /** Runs before the next append is looked at; how another writer gets in between. */
  beforeAppend: (() => Promise<void>) | undefined
  /** How many answers are lost after the server has done what it was asked. */
  lostAnswers = 0
  /** Changes what is answered. */
  tamper: (data: Record<string, unknown>) => Record<string, unknown> = (data) => data

  readonly fetch = async (request: Request): Promise<Response> => {
    this.requests.push(request.clone())
    const body = new Uint8Array(await request.arrayBuffer())
    const response = await this.#answer(request, body)
    if (this.lostAnswers > 0) {
      this.lostAnswers -= 1
      throw new TypeError('fetch failed')
    }
    return response
  }

  get head(): ChainHead {
    const block = this.blocks.at(-1)
    if (!block) throw new Error('no genesis yet')
    return { index: block.index, hash: blockHash(block) }
  }

  async #answer(request: Request, body: Uint8Array): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/api/genesis/init') return this.#genesis(body)
    if (url.pathname.startsWith('/api/genesis/')) return this.#ok(this.#record())
    if (url.pathname.endsWith('/history')) return Promise.resolve(Response.json(this.#history()))
    if (url.pathname.startsWith('/api/chain/root/')) return this.#ok(this.#root())
    const verified = await verifyAssertion(
      {
        authorization: request.headers.get('authorization') ?? undefined,
        method: request.method,
        target: url.pathname + url.search,
        origin: request.headers.get('origin') ?? undefined,
        bodyHash: () => Promise.resolve(hashHex(body)),
      },
      {
        expectedAudiences: ['chain'],
        skewMs: 120_000,
        noncePattern: /^[!-~]{1,256}$/,
        expectedOrigins: [CORE],
        acceptsDevices: false,
        requiredCapability: 'root',
      },
      this.now,
    )
    if (!verified.ok) return this.#refuse(401, `assertion_${verified.error.reason}`, { serverTime: this.now })
    if (this.#nonces.has(verified.value.nonce)) return this.#refuse(401, 'assertion_replay')
    this.#nonces.add(verified.value.nonce)
    return this.#authorized(url, body)
  }

  #authorized(url: URL, body: Uint8Array): Promise<Response> | Response {
    const indexing = this.indexing && { indexing: this.indexing }
    if (url.pathname === '/api/chain/head') return this.#ok({ ...this.head, did: this.#did, ...indexing })
    if (url.pathname === '/api/chain/append') return this.#append(body)
    if (url.pathname === '/api/chain/blocks') {
      const from = Number(url.searchParams.get('from') ?? 0)
      const shown = this.blocks.slice(0, this.blocks.length - this.withheld)
      const next = from + PAGE < shown.length ? String(from + PAGE) : null
      return this.#ok({ blocks: shown.slice(from, from + PAGE), next, head: this.head, ...indexing })
    }
    const id = url.pathname.slice('/api/chain/payload/'.length)
    const block = this.blocks.find((candidate) => candidate.index === id || blockHash(candidate) === id)
    if (!block) return this.#refuse(404, 'not_found')
    const { index, dataHash } = block
    return this.#ok({ index, hash: blockHash(block), dataHash, payloadB64u: this.payloads.get(index) ?? '' })
  }

  #genesis(body: Uint8Array): Response {
    const { block } = JSON.parse(new TextDecoder().decode(body)) as { block: SignedBlock }
    const [existing] = this.blocks
    if (existing && blockHash(existing) !== blockHash(block)) return this.#refuse(409, 'genesis_conflict')
    if (!existing) this.blocks.push(block)
    return this.#ok(this.#record())
  }

  async #append(body: Uint8Array): Promise<Response> {
    const before = this.beforeAppend
    this.beforeAppend = undefined
    await before?.()
    const { payloadB64u, ...parsed } = appendRequestSchema.parse(JSON.parse(new TextDecoder().decode(body)))
    const block = parsed as ChainBlock & SignedBlock
    const hash = blockHash(block)
    if (!(await verifyBlockSignature(block))) return this.#refuse(403, 'invalid_signature')
    if (payloadB64u !== undefined && hashHex(bytesOf(payloadB64u)) !== block.dataHash) {
      return this.#refuse(400, 'invalid_request')
    }
    if (!checkLink(this.head, block).ok) {
      const known = this.blocks.some((candidate) => blockHash(candidate) === hash)
      const appended = known ? { index: block.index, hash, acceptedAt: this.now } : null
      return this.#refuse(409, 'stale_head', { details: this.tamper({ head: this.head, appended }) })
    }
    this.blocks.push(block)
    if (payloadB64u !== undefined) this.payloads.set(block.index, payloadB64u)
    return this.#ok({ index: block.index, hash, acceptedAt: this.now }, 201)
  }

  get #did(): string {
    return didOf(this.#root().scope)
  }

  #record() {
    const [block] = this.blocks
    if (block?.version !== 4) throw new Error('no genesis yet')
    const { scope } = block
    return {
      did: didOf(scope),
      scope,
      userId: scope,
      block,
      commitment: null,
      hash: blockHash(block),
      createdAt: this.now,
    }
  }

  #root() {
    const { did, scope, userId, block } = this.#record()
    return {
      did,
      scope,
      userId,
      publicKeyB64u: block.ownerPublicKey,
      epoch: 0,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
    }
  }

  /** Evidence is never changed here: what proves itself is tested where it is proved. */
  #history() {
    const { did, scope, userId, block, createdAt } = this.#record()
    const genesis = {
      epoch: 0,
      userId,
      publicKeyB64u: block.ownerPublicKey,
      activatedAt: createdAt,
      request: null,
      genesis: null,
    }
    return { success: true, data: { did, scope, keys: [genesis], next: null, rotation: null }, timestamp: this.now }
  }

  #ok(data: Record<string, unknown>, status = 200): Response {
    return Response.json({ success: true, data: this.tamper(data), timestamp: this.now }, { status })
  }

  #refuse(status: number, error: string, members: object = {}): Response {
    const body = { success: false, error, message: 'refused', timestamp: this.now, ...members }
    return Response.json(body, { status, headers: { 'x-request-id': 'r-1' } })
  }
}
