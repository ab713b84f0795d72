import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import * as z from 'zod'
import type { BlockSource } from './block-source.ts'
import { type ContentId, readContentId } from './content-id.ts'
import { MAX_PINS, type Pin, type PinStore } from './pin-store.ts'
import { type FileRefusal, UnixfsFile } from './unixfs-file.ts'

export type PinRefusal = FileRefusal | { readonly reason: 'pinning_disabled' | 'cid_unsupported' | 'pin_limit' }
type Kept = Pick<Pin, 'status' | 'bytes' | 'requestId'>

/** The part of the IPFS Pinning Service API, version 1, that pinning needs. */
const pinStatusSchema = z.looseObject({
  requestid: z.string().min(1).max(1024),
  status: z.enum(['queued', 'pinning', 'pinned', 'failed']),
})
const SERVICE_TIMEOUT_MS = 10_000

export interface PinningConfig {
  readonly provider: 'object-store' | 'external-http' | 'off'
  /** The base URL of the pinning service, and its token. */
  readonly endpoint: string
  readonly token: string | undefined
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** Pins content: in the deployment's own store, verified block by block, or at a pinning service. */
export class PinningService {
  readonly #config: PinningConfig
  readonly #blocks: BlockSource
  readonly #store: PinStore

  constructor(config: PinningConfig, blocks: BlockSource, store: PinStore) {
    this.#config = config
    this.#blocks = blocks
    this.#store = store
  }

  /** Idempotent. */
  async pin(did: string, request: { cid: string; name: string | null }, now: number): Promise<Result<Pin, PinRefusal>> {
    const { provider } = this.#config
    if (provider === 'off') return err({ reason: 'pinning_disabled' })
    const id = readContentId(request.cid)
    if (!id) return err({ reason: 'cid_unsupported' })
    const existing = await this.#store.find(did, id.name)
    if (existing?.status === 'pinned') return ok(existing)
    if (!existing && (await this.#store.count(did)) >= MAX_PINS) return err({ reason: 'pin_limit' })
    const kept =
      provider === 'object-store'
        ? await this.#keep(id, now)
        : ok(await this.#delegate(id.name, request.name, existing?.requestId ?? null))
    if (!kept.ok) return kept
    const pin: Pin = { cid: id.name, name: request.name, provider, ...kept.value, pinnedAt: existing?.pinnedAt ?? now }
    return (await this.#store.put(did, pin)) ? ok(pin) : err({ reason: 'pin_limit' })
  }

  /**
   * Stores nothing before every block has arrived, so incomplete content leaves nothing behind. Writes the row last: a
   * crash before it leaves blocks that the retry finds and stores again.
   */
  async #keep(id: ContentId, now: number): Promise<Result<Kept, PinRefusal>> {
    const file = await UnixfsFile.open(id, (child) => this.#blocks.get(child, now))
    if (!file.ok) return file
    for (const keeps of [false, true]) {
      const blocks = file.value.blocks()
      let next = await blocks.next()
      for (; !next.done; next = await blocks.next()) {
        if (keeps) await this.#blocks.pin(next.value.id, next.value.bytes)
      }
      if (next.value) return err(next.value)
    }
    return ok({ status: 'pinned', bytes: file.value.bytes, requestId: null })
  }

  /** Queries the pin if the service already has it: another POST would create another pin there. */
  async #delegate(cid: string, name: string | null, requestId: string | null): Promise<Kept> {
    const known = requestId === null ? null : await this.#ask('GET', `/pins/${encodeURIComponent(requestId)}`)
    if (known && known.status !== 'failed') return known
    const made = await this.#ask('POST', '/pins', { cid, ...(name === null ? {} : { name }) })
    if (!made) throw new DependencyFault('pinning service', { cause: new Error('status 404') })
    return made
  }

  /** Null for 404. */
  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Kept | null> {
    const { endpoint, token, fetch } = this.#config
    if (!token) throw new DependencyFault('pinning service', { cause: new Error('no token') })
    return reaching('pinning service', async () => {
      const response = await fetch(endpoint + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: 'manual',
        signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
      })
      if (response.status === 404) return null
      if (response.status !== (method === 'POST' ? 202 : 200)) throw new Error(`status ${response.status}`)
      const { status, requestid: requestId } = pinStatusSchema.parse(await response.json())
      return { status, bytes: null, requestId }
    })
  }
}
