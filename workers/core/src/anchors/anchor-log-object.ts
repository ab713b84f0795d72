import { DurableObject } from 'cloudflare:workers'
import { anchorLeafHash } from '@svc/protocol/anchors'
import { toHex } from '@svc/protocol/hash'
import { err, ok, type Result } from '@svc/protocol/result'
import { AnchorLogStore } from './anchor-log-store.ts'
import { AnchorStore, type NewAnchor } from './anchor-store.ts'

/** An anchor takes up to three statements and 8 kB: sixteen of them are one small D1 batch. */
const DELIVERY = 16
const RETRY_MS = 5_000

export interface Placed {
  readonly index: number
  readonly createdAt: string
  /** Whether this call placed it; else the log had it already. */
  readonly isNew: boolean
}

export interface LogState {
  readonly size: number
  readonly root: string
}

/**
 * The log of all anchors: one object, the only writer of their order. An anchor is durable here when it is
 * acknowledged; D1, which answers the reads, follows from the outbox, at once or by the alarm.
 */
export class AnchorLogObject extends DurableObject<Env> {
  readonly #log: AnchorLogStore
  readonly #anchors: AnchorStore
  #delivering: Promise<void> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#log = new AnchorLogStore(ctx.storage.sql)
    this.#log.createTables()
    this.#anchors = new AnchorStore(env.DB)
  }

  /** The same anchor again is the same place in the log. It was authorized before this call. */
  async append(anchor: Omit<NewAnchor, 'createdAt' | 'leaf'>): Promise<Placed> {
    const { storage } = this.ctx
    const placed = storage.transactionSync((): Placed => {
      const existing = this.#log.find(anchor.anchorId)
      if (existing) return { ...existing, isNew: false }
      const index = this.#log.size()
      const createdAt = new Date().toISOString()
      const { anchorId, root, epoch } = anchor
      const leaf = anchorLeafHash({ anchorId, root, epoch, hashAlg: 'sha3-384', createdAt })
      this.#log.append(
        { index, anchor: { ...anchor, createdAt, leaf: toHex(leaf) } },
        this.#log.tree.append(index, leaf),
      )
      return { index, createdAt, isNew: true }
    })
    // Before the delivery: a crash in the middle of it is taken up by the alarm.
    await storage.setAlarm(Date.now() + RETRY_MS)
    await this.#deliver(placed.index)
    return placed
  }

  state(): LogState {
    const size = this.#log.size()
    return { size, root: toHex(this.#log.tree.root(size)) }
  }

  /** The audit path of a leaf in the tree of the first `size` leaves. */
  inclusion(index: number, size: number): Result<string[], { reason: 'out_of_range' }> {
    if (index >= size || size > this.#log.size()) return err({ reason: 'out_of_range' })
    return ok(this.#log.tree.inclusion(index, size).map(toHex))
  }

  consistency(first: number, second: number): Result<string[], { reason: 'out_of_range' }> {
    if (first < 1 || first > second || second > this.#log.size()) return err({ reason: 'out_of_range' })
    return ok(this.#log.tree.consistency(first, second).map(toHex))
  }

  /** Idempotent: a row that D1 has already is not written again. */
  override async alarm(): Promise<void> {
    await this.#deliver(Number.MAX_SAFE_INTEGER)
    if (this.#log.oldestWaiting() !== null) await this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
  }

  /**
   * Up to one entry, however many come in behind it. Those who wait share one delivery, and the next takes what has
   * come in meanwhile.
   */
  async #deliver(last: number): Promise<void> {
    for (let oldest = this.#log.oldestWaiting(); oldest !== null && oldest <= last; ) {
      this.#delivering ??= this.#deliverSome().finally(() => {
        this.#delivering = null
      })
      await this.#delivering
      const next = this.#log.oldestWaiting()
      // D1 refuses: the alarm tries again, and the anchor is safe here.
      if (next === oldest) return
      oldest = next
    }
  }

  async #deliverSome(): Promise<void> {
    const entries = this.#log.waiting(DELIVERY)
    try {
      await this.#anchors.put(entries)
    } catch {
      return
    }
    this.ctx.storage.transactionSync(() => this.#log.delivered(entries.map(({ index }) => index)))
  }
}
