import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import { CACHE_MS, CACHE_PREFIX } from './block-cache.ts'
import { type ContentId, isBlockOf } from './content-id.ts'

/** What IPFS implementations exchange: a larger block is nobody's. */
const MAX_BLOCK_BYTES = 2 * 1024 * 1024
const GATEWAY_TIMEOUT_MS = 10_000

/** The one gateway of the deployment: its origin, or '' for none, and how it is reached. */
export interface Gateway {
  readonly origin: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * Blocks by CID: the store first, then the one configured gateway. Nothing that does not hash to its CID is ever kept
 * or given. A pinned block lies under its own key and stays; a cached one counts for a week.
 */
export class BlockSource {
  readonly #bucket: R2Bucket
  readonly #gateway: Gateway

  constructor(bucket: R2Bucket, gateway: Gateway) {
    this.#bucket = bucket
    this.#gateway = gateway
  }

  /** Null when neither has it. A gateway that answers with something else is a fault. */
  async get(id: ContentId, now: number): Promise<Uint8Array | null> {
    const stored = (await this.#stored(pinKey(id))) ?? (await this.#stored(cacheKey(id), now - CACHE_MS))
    if (stored) return stored
    const fetched = await this.#fetch(id)
    if (fetched) await reaching('blocks', () => this.#bucket.put(cacheKey(id), fetched))
    return fetched
  }

  /** Keeps a block for good. */
  async pin(id: ContentId, bytes: Uint8Array): Promise<void> {
    await reaching('blocks', () => this.#bucket.put(pinKey(id), bytes))
  }

  async #stored(key: string, since = 0): Promise<Uint8Array | null> {
    return reaching('blocks', async () => {
      const object = await this.#bucket.get(key)
      if (!object || object.uploaded.getTime() < since) return null
      return new Uint8Array(await object.arrayBuffer())
    })
  }

  /** The trustless gateway protocol: one raw block, which proves itself. Redirects could lead anywhere, so none is followed. */
  async #fetch(id: ContentId): Promise<Uint8Array | null> {
    if (this.#gateway.origin === '') return null
    const bytes = await reaching('gateway', async () => {
      const response = await this.#gateway.fetch(`${this.#gateway.origin}/ipfs/${id.name}?format=raw`, {
        headers: { accept: 'application/vnd.ipld.raw' },
        redirect: 'manual',
        signal: AbortSignal.timeout(GATEWAY_TIMEOUT_MS),
      })
      if (response.status === 404 || response.status === 410) return null
      if (!response.ok) throw new Error(`status ${response.status}`)
      return readCapped(response)
    })
    if (bytes && !(await isBlockOf(id, bytes))) {
      const cause = new Error('the content does not have the hash that its CID names')
      throw new DependencyFault('gateway', { cause })
    }
    return bytes
  }
}

const pinKey = ({ name }: ContentId) => `ipfs/pin/${name}`
const cacheKey = ({ name }: ContentId) => CACHE_PREFIX + name

/** Stops reading at the cap: a gateway may say what it likes about lengths. */
async function readCapped(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (!response.body) return new Uint8Array()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    length += chunk.length
    if (length > MAX_BLOCK_BYTES) throw new Error('a block above the cap')
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
