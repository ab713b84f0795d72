import { err, ok, type Result } from '@svc/protocol/base/result'
import type { LooseObjects } from '@svc/service'
import { uploadPrefix } from './block-source.ts'
import { type ContentId, readContentId } from './content-id.ts'
import type { ContentService } from './content-service.ts'
import { MAX_PINS, type Pin, type PinStore } from './pin-store.ts'
import { PinningClient, type PinningConfig } from './pinning-client.ts'
import type { FileRefusal } from './unixfs-file.ts'

export type PinRefusal = FileRefusal | { readonly reason: 'pinning_disabled' | 'cid_unsupported' | 'pin_limit' }
export type UnpinRefusal = { readonly reason: 'cid_unsupported' | 'not_found' }

/** A pin that is about to be recorded. */
type Wanted = Pick<Pin, 'cid' | 'name' | 'pinnedAt'>

interface Parts {
  readonly content: ContentService
  readonly store: PinStore
  readonly loose: LooseObjects
}

/** Pins content: in the deployment's own store, verified block by block, or at a pinning service. */
export class PinningService {
  readonly #provider: PinningConfig['provider']
  readonly #client: PinningClient
  readonly #parts: Parts

  constructor(config: PinningConfig, parts: Parts) {
    this.#provider = config.provider
    this.#client = new PinningClient(config)
    this.#parts = parts
  }

  /** Idempotent. */
  async pin(did: string, request: { cid: string; name: string | null }, now: number): Promise<Result<Pin, PinRefusal>> {
    if (this.#provider === 'off') return err({ reason: 'pinning_disabled' })
    const id = readContentId(request.cid)
    if (!id) return err({ reason: 'cid_unsupported' })
    const { store, content } = this.#parts
    const existing = await store.find(did, id.name)
    if (existing?.status === 'pinned') return ok(existing)
    const why = await content.reasonFor(id)
    if (why !== null) return err({ reason: 'taken_down', why })
    if (!existing && (await store.count(did)) >= MAX_PINS) return err({ reason: 'pin_limit' })
    const wanted = { cid: id.name, name: request.name, pinnedAt: existing?.pinnedAt ?? now }
    if (this.#provider === 'external-http') return this.#delegate(did, wanted, existing?.requestId ?? null)
    const shared = await store.share(did, wanted)
    return shared ? ok(shared) : this.#keep(did, id, wanted, now)
  }

  /** Idempotent at the pinning service: after a crash between the two steps, the pin is still listed. */
  async unpin(did: string, cid: string): Promise<Result<Pin, UnpinRefusal>> {
    const id = readContentId(cid)
    if (!id) return err({ reason: 'cid_unsupported' })
    const pin = await this.#parts.store.find(did, id.name)
    if (!pin) return err({ reason: 'not_found' })
    if (pin.requestId !== null) await this.#client.remove(pin.requestId)
    await this.#parts.store.remove(did, id.name)
    return ok(pin)
  }

  /** Removes a pin at the pinning service. */
  unpinRequest(requestId: string): Promise<void> {
    return this.#client.remove(requestId)
  }

  /**
   * Stores nothing before every block has arrived, so incomplete content leaves nothing behind. The upload is noted before
   * its first block and named by the row, which is written last: what a crash leaves is swept.
   */
  async #keep(did: string, id: ContentId, wanted: Wanted, now: number): Promise<Result<Pin, PinRefusal>> {
    const { content, store, loose } = this.#parts
    const opened = await content.open(id, now)
    if (!opened.ok) return opened
    const { file, blocks } = opened.value
    const upload = crypto.randomUUID()
    const key = uploadPrefix(id, upload)
    for (const keeps of [false, true]) {
      if (keeps) await loose.note([key], now)
      const walk = file.blocks()
      let next = await walk.next()
      for (; !next.done; next = await walk.next()) {
        if (keeps) await blocks.keep(upload, next.value.id, next.value.bytes)
      }
      if (next.value) {
        if (keeps) await loose.delete([key])
        return err(next.value)
      }
    }
    const pin: Pin = { ...wanted, provider: 'object-store', status: 'pinned', bytes: file.bytes, requestId: null }
    return (await store.put(did, pin, upload)) ? ok(pin) : this.#refused(id)
  }

  async #delegate(did: string, wanted: Wanted, requestId: string | null): Promise<Result<Pin, PinRefusal>> {
    const requested = await this.#client.request(wanted.cid, wanted.name, requestId)
    const pin: Pin = { ...wanted, provider: 'external-http', ...requested }
    if (await this.#parts.store.putDelegated(did, pin)) return ok(pin)
    if (requested.requestId !== null) await this.#client.remove(requested.requestId)
    return this.#refused({ name: wanted.cid })
  }

  /** Why a pin was not recorded. */
  async #refused(id: Pick<ContentId, 'name'>): Promise<Result<Pin, PinRefusal>> {
    const why = await this.#parts.content.reasonFor(id)
    return err(why === null ? { reason: 'pin_limit' } : { reason: 'taken_down', why })
  }
}
