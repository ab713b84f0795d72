import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { readBytes } from '@svc/service'
import { cachePrefix, uploadPrefix } from '../object-keys.ts'
import { CACHE_MS } from './block-cache.ts'
import { type ContentId, isBlockOf } from './content-id.ts'

/** The size limit of IPFS implementations: no larger block is ever exchanged. */
const MAX_BLOCK_BYTES = 2 * 1024 * 1024
const GATEWAY_TIMEOUT_MS = 10_000
/** R2's limit of keys in one delete, and of one page of a list. */
const MAX_KEYS = 1_000

/** The deployment's only gateway: its origin, or '' for none, and how to reach it. */
export interface Gateway {
  readonly origin: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** Called once for a request, before its first block comes from the gateway. */
export type Admission = () => Promise<void>

/** Where the blocks of one file are kept: its root, and the upload of its pins if it is pinned. */
export interface BlockPlace {
  readonly root: ContentId
  readonly upload: string | null
}

/** Blocks as the gateway has them, and as the store keeps them: under their root, so that they go with it. */
export class BlockSource {
  readonly #bucket: R2Bucket
  readonly #gateway: Gateway

  constructor(bucket: R2Bucket, gateway: Gateway) {
    this.#bucket = bucket
    this.#gateway = gateway
  }

  /** The blocks of one file, for one request. `admit` throws unless the caller may have something fetched. */
  of(place: BlockPlace, admit: Admission, now: number): FileBlocks {
    return new FileBlocks({ bucket: this.#bucket, fetch: (id) => this.#fetch(id), admit, now }, place)
  }

  /**
   * The trustless gateway protocol: one raw, self-verifying block. Redirects are not followed: they could lead
   * anywhere.
   */
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
      // Stops reading at the limit: the length that a gateway declares cannot be trusted.
      const read = await readBytes(response, MAX_BLOCK_BYTES)
      if (!read) throw new Error('a block above the cap')
      return read
    })
    if (bytes && !(await isBlockOf(id, bytes))) {
      const cause = new Error('the content does not have the hash that its CID names')
      throw new DependencyFault('gateway', { cause })
    }
    return bytes
  }
}

interface Parts {
  readonly bucket: R2Bucket
  readonly fetch: (id: ContentId) => Promise<Uint8Array | null>
  readonly admit: Admission
  readonly now: number
}

/**
 * Blocks by CID: from the store, else from the one configured gateway. Only blocks that hash to their CID are stored or
 * returned. A pinned block has a key of its own and is kept; a cached one expires after a week.
 */
export class FileBlocks {
  readonly #parts: Parts
  readonly #place: BlockPlace
  #admitted: Promise<void> | null = null

  constructor(parts: Parts, place: BlockPlace) {
    this.#parts = parts
    this.#place = place
  }

  /** Null if neither has it. Any other answer of the gateway is a fault. */
  async get(id: ContentId): Promise<Uint8Array | null> {
    const { bucket, fetch, admit, now } = this.#parts
    const { root, upload } = this.#place
    const pinned = upload === null ? null : await this.#stored(uploadPrefix(root, upload) + id.name)
    const cacheKey = cachePrefix(root) + id.name
    const stored = pinned ?? (await this.#stored(cacheKey, now - CACHE_MS))
    if (stored) return stored
    this.#admitted ??= admit()
    await this.#admitted
    const fetched = await fetch(id)
    if (fetched) await reaching('blocks', () => bucket.put(cacheKey, fetched))
    return fetched
  }

  /** Deletes whatever of the file is cached: it turned out to be no file that can be read. */
  async abandon(): Promise<void> {
    const { bucket } = this.#parts
    const prefix = cachePrefix(this.#place.root)
    await reaching('blocks', async () => {
      for (;;) {
        const { objects } = await bucket.list({ prefix, limit: MAX_KEYS })
        if (objects.length === 0) return
        await bucket.delete(objects.map(({ key }) => key))
      }
    })
  }

  /** Stores a block of an upload. */
  async keep(upload: string, id: ContentId, bytes: Uint8Array): Promise<void> {
    await reaching('blocks', () => this.#parts.bucket.put(uploadPrefix(this.#place.root, upload) + id.name, bytes))
  }

  async #stored(key: string, since = 0): Promise<Uint8Array | null> {
    return reaching('blocks', async () => {
      const object = await this.#parts.bucket.get(key)
      if (!object || object.uploaded.getTime() < since) return null
      return new Uint8Array(await object.arrayBuffer())
    })
  }
}
