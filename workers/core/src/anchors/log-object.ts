import { VersionedObject } from '@svc/objects'
import { toHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { anchorLeafHash } from '@svc/protocol/ledger/anchors'
import { entryHash } from '@svc/protocol/merkle/entries'
import type { NewAnchor } from './log-entry.ts'
import { ANCHOR_LOG } from './log-schema.ts'
import { AnchorLogStore } from './log-store.ts'
import { AnchorStore } from './store.ts'

/** An anchor takes up to three statements and 8 kB: sixteen are one small D1 batch. */
const DELIVERY = 16
const RETRY_MS = 5_000

export interface Placed {
  readonly index: number
  /** As the log holds it; null if the log already had it and D1 has it too. */
  readonly anchor: NewAnchor | null
}

export interface LogState {
  readonly size: number
  readonly root: string
  /** Epoch milliseconds; null before its first entry. */
  readonly openedAt: number | null
}

/**
 * One log of anchors, named by the log's name: the only writer of its order. An anchor is durable here once it is
 * acknowledged; D1, which serves reads, is filled from the outbox, right away or by the alarm.
 */
export class AnchorLogObject extends VersionedObject<Env> {
  static override readonly schemas = [ANCHOR_LOG]
  readonly #log: AnchorLogStore
  readonly #anchors: AnchorStore
  #delivering: Promise<void> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#log = new AnchorLogStore(this.stored.sql)
    // Logs are named by the Worker and never by a caller, so their tables are created at the first start.
    this.stored.transact(() => this.stored.create(ANCHOR_LOG))
    this.#anchors = new AnchorStore(env.DB)
  }

  /** Idempotent: returns the existing place of an anchor. The caller has authorized it. */
  async append(log: string, anchor: Omit<NewAnchor, 'createdAt' | 'leaf'>): Promise<Placed> {
    const placed = this.stored.transact((): Placed => {
      const existing = this.#log.find(anchor.anchorId)
      if (existing !== null) return { index: existing, anchor: this.#log.waitingAt(existing) }
      const now = Date.now()
      this.#log.open(log, now)
      const index = this.#log.size()
      const logged = { ...anchor, hashAlg: 'sha3-384', createdAt: new Date(now).toISOString() } as const
      const { hashAlg: _, ...added } = { ...logged, leaf: toHex(anchorLeafHash(logged)) }
      this.#log.append(index, added, entryHash(anchorEntry({ ...logged, attestations: [...logged.attestations] })))
      return { index, anchor: added }
    })
    // Set before the delivery: if a crash interrupts it, the alarm resumes it.
    await this.stored.alarm.by(Date.now() + RETRY_MS)
    await this.#deliver(placed.index)
    return placed
  }

  state(): LogState {
    const size = this.#log.size()
    return { size, root: toHex(this.#log.tree.root(size)), openedAt: this.#log.opened()?.openedAt ?? null }
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

  /** Idempotent: rows already in D1 are not written again. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    await this.#deliver(Number.MAX_SAFE_INTEGER)
    if (this.#log.oldestWaiting() !== null) await this.stored.alarm.by(Date.now() + RETRY_MS)
  }

  /**
   * Delivers up to one entry, however many arrive after it. Waiting callers share one delivery; the next one takes what
   * has arrived in the meantime.
   */
  async #deliver(last: number): Promise<void> {
    for (let oldest = this.#log.oldestWaiting(); oldest !== null && oldest <= last; ) {
      this.#delivering ??= this.#deliverSome().finally(() => {
        this.#delivering = null
      })
      await this.#delivering
      const next = this.#log.oldestWaiting()
      // D1 failed: the alarm retries, and the anchor is durable here.
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
    this.stored.transact(() => this.#log.delivered(entries.map(({ index }) => index)))
  }
}
