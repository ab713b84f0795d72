import { err, ok, type Result } from '@svc/protocol/base/result'
import type { LooseObjects } from '@svc/service'
import { uploadPrefix } from '../object-keys.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { KeptItem } from '../storage/transaction.ts'
import { type ContentId, readContentId } from './content-id.ts'
import type { ContentService, OpenFile } from './content-service.ts'
import type { FetchAllowance } from './fetch-allowance.ts'
import { MAX_PINS, type Pin, type PinStore } from './pin-store.ts'
import { PinningClient, type PinningConfig } from './pinning-client.ts'
import type { FileRefusal } from './unixfs-file.ts'

export type PinRefusal =
  | FileRefusal
  | BudgetRefusal
  | { readonly reason: 'pinning_disabled' | 'cid_unsupported' | 'pin_limit' }
export type UnpinRefusal = { readonly reason: 'cid_unsupported' | 'not_found' }

/** A pin that is about to be recorded. */
type Wanted = Pick<Pin, 'cid' | 'name' | 'pinnedAt'>

interface Parts {
  readonly content: ContentService
  readonly store: PinStore
  readonly loose: LooseObjects
  readonly budget: StorageBudget
  readonly allowance: FetchAllowance
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
    if (this.#provider === 'external-http') {
      return this.#counted(did, { wanted, bytes: 0, now }, () =>
        this.#delegate(did, wanted, existing?.requestId ?? null),
      )
    }
    const bytes = await store.sharedBytes(id.name)
    if (bytes === null) return this.#fetch(did, id, wanted, now)
    return this.#counted(did, { wanted, bytes, now }, async () => {
      const shared = await store.share(did, wanted)
      return shared ? ok(shared) : this.#refused(id)
    })
  }

  /** Idempotent at the pinning service: after a crash between the two steps, the pin is still listed. */
  async unpin(did: string, cid: string): Promise<Result<Pin, UnpinRefusal>> {
    const id = readContentId(cid)
    if (!id) return err({ reason: 'cid_unsupported' })
    const pin = await this.#parts.store.find(did, id.name)
    if (pin && pin.requestId !== null) await this.#client.remove(pin.requestId)
    if (pin) await this.#parts.store.remove(did, id.name)
    // Also if it is not there: a crash may have left it counted.
    await this.#parts.budget.release(did, 'pins', id.name)
    return pin ? ok(pin) : err({ reason: 'not_found' })
  }

  /** Removes a pin at the pinning service. */
  unpinRequest(requestId: string): Promise<void> {
    return this.#client.remove(requestId)
  }

  async #fetch(did: string, id: ContentId, wanted: Wanted, now: number): Promise<Result<Pin, PinRefusal>> {
    const opened = await this.#parts.content.open(id, this.#parts.allowance.for(did), now)
    if (!opened.ok) return opened
    const { bytes } = opened.value.file
    return this.#counted(did, { wanted, bytes, now }, () => this.#keep(did, id, { wanted, opened: opened.value, now }))
  }

  /**
   * Stores nothing before every block has arrived, so incomplete content leaves nothing behind. The upload is noted before
   * its first block and named by the row, which is written last: what a crash leaves is swept.
   */
  async #keep(
    did: string,
    id: ContentId,
    { wanted, opened, now }: { readonly wanted: Wanted; readonly opened: OpenFile; readonly now: number },
  ): Promise<Result<Pin, PinRefusal>> {
    const { store, loose } = this.#parts
    const { file, blocks } = opened
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
        await blocks.abandon()
        return err(next.value)
      }
    }
    const pin: Pin = { ...wanted, provider: 'object-store', status: 'pinned', bytes: file.bytes, requestId: null }
    return (await store.put(did, pin, upload)) ? ok(pin) : this.#refused(id)
  }

  /** Counts the pin towards its owner's budget before the work that records it; not if that is refused. */
  async #counted(
    did: string,
    { wanted: { cid }, bytes, now }: { readonly wanted: Wanted; readonly bytes: number; readonly now: number },
    record: () => Promise<Result<Pin, PinRefusal>>,
  ): Promise<Result<Pin, PinRefusal>> {
    const kept = await this.#count(did, { kind: 'pins', item: cid, bytes }, now)
    if (!kept.ok) return kept
    const pin = await record()
    if (!pin.ok && kept.value.isNew) await this.#parts.budget.release(did, 'pins', cid)
    return pin
  }

  /** If it does not fit, what is not pinned any more is given back first: taken down, or lost in a crash. */
  async #count(did: string, item: KeptItem, now: number): Promise<Result<{ readonly isNew: boolean }, BudgetRefusal>> {
    const { budget, store } = this.#parts
    const first = await budget.keep(did, item)
    if (first.ok) return first
    await budget.retain(did, 'pins', await store.cids(did), now)
    return budget.keep(did, item)
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
