import { err, ok, type Result } from '@svc/protocol/base/result'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { ChainFacts, ChainTransaction } from '../chain/transaction.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { OwnedAnchor } from './owned.ts'

/** An anchor takes some 8 kB: this many are one small D1 batch, and one call to the log. */
const MAX_DELIVERED = 16
/** Longer than a request waits for the log: the alarm takes over from a request that was lost. */
const DELIVERY_MS = 10_000

export type AnchorRefusal =
  | BudgetRefusal
  | { readonly reason: 'history_partial' }
  | { readonly reason: 'withheld'; readonly leaf: string }

/** As its owner submits it. */
export type NewAnchor = Omit<OwnedAnchor['anchor'], 'createdAt' | 'hashAlg' | 'salt'>

export interface AnchorFacts {
  readonly chain: ChainFacts | null
  readonly newest: OwnedAnchor['anchor'] | null
}

/** The anchors of one owner: whether a root may be anchored, the anchor itself and its way to the log, decided together. */
export class AnchorTransaction {
  readonly #identity: IdentityTransaction
  readonly #chain: ChainTransaction

  constructor(identity: IdentityTransaction, chain: ChainTransaction) {
    this.#identity = identity
    this.#chain = chain
  }

  /** Idempotent: an anchor that is there stays as it is. Durable once this has returned. */
  submit(
    did: string,
    anchor: NewAnchor,
    { now, salt }: { readonly now: number; readonly salt: string },
  ): Result<AnchorRecord, AnchorRefusal> {
    const { stored, anchors, storage } = this.#identity
    const submitted = stored.transact((): Result<AnchorRecord, AnchorRefusal> => {
      const facts = this.#chain.facts(null)
      if (!facts || facts.isIndexing) return err({ reason: 'history_partial' })
      const existing = anchors.find(anchor.anchorId)
      if (existing?.withheld) return err({ reason: 'withheld', leaf: existing.withheld })
      if (existing) return ok(recordOf(did, existing))
      // Only a withholding removes an anchor.
      const bytes = JSON.stringify(anchor.attestations).length
      const kept = storage.keep(did, { kind: 'anchors', item: anchor.anchorId, bytes })
      if (!kept.ok) return kept
      const added = { ...anchor, salt, hashAlg: 'sha3-384', createdAt: new Date(now).toISOString() } as const
      anchors.add(added, now)
      return ok(recordOf(did, { anchor: added, log: null, index: null, withheld: null }))
    })
    if (submitted.ok && submitted.value.position === null) void stored.alarm.by(now + DELIVERY_MS)
    return submitted
  }

  /** As its owner has it: whether it was published is not known here. */
  record(did: string, anchorId: string): AnchorRecord | null {
    const found = this.#identity.anchors.find(anchorId)
    return found && !found.withheld ? recordOf(did, found) : null
  }

  /** Deletes it and gives its room back. Returns whether it was not withheld before. */
  withhold(anchorId: string, leaf: string): boolean {
    const { stored, anchors, storage } = this.#identity
    return stored.transact(() => {
      const isNew = anchors.withhold(anchorId, leaf)
      if (isNew) storage.release('anchors', anchorId)
      return isNew
    })
  }

  facts(): AnchorFacts {
    const newest = this.#identity.anchors.newest()?.anchor ?? null
    return { newest, chain: this.#chain.facts(newest?.root ?? null) }
  }

  /** Whether an anchor is due to be carried; null for any. */
  isWaiting(anchorId: string | null): boolean {
    const due = this.due(Date.now())?.anchors ?? []
    return anchorId === null ? due.length > 0 : due.length > 0 && this.#identity.anchors.isWaiting(anchorId)
  }

  /** What is on its way, oldest first; null if nothing is due. */
  due(now: number): { readonly did: string; readonly anchors: readonly OwnedAnchor[] } | null {
    const identity = this.#identity.read()
    const anchors = identity ? this.#identity.anchors.due(now, MAX_DELIVERED) : []
    return identity && anchors.length > 0 ? { did: identity.did, anchors } : null
  }

  /** The log that each of these belongs to from now on: by default the open one. */
  sendTo(openLog: string, anchorIds: readonly string[]): OwnedAnchor[] {
    const { stored, anchors } = this.#identity
    return stored.transact(() => {
      anchors.sendTo(openLog, anchorIds)
      return anchorIds.map((anchorId) => anchors.find(anchorId)).filter((found) => found !== null)
    })
  }

  /** The log that these belong to from now on: the one that they belonged to was closed without them. */
  moveTo(log: string, anchorIds: readonly string[]): OwnedAnchor[] {
    const { stored, anchors } = this.#identity
    return stored.transact(() => {
      anchors.moveTo(log, anchorIds)
      return anchorIds.map((anchorId) => anchors.find(anchorId)).filter((found) => found !== null)
    })
  }

  placed(places: readonly { readonly anchorId: string; readonly position: LogPosition }[]): void {
    const { stored, anchors } = this.#identity
    stored.transact(() => {
      for (const { anchorId, position } of places) anchors.placed(anchorId, position)
    })
  }

  restore(anchor: LoggedAnchor): void {
    const { stored, anchors } = this.#identity
    stored.transact(() => anchors.restore(anchor.anchorId, anchor))
  }

  settle(anchorIds: readonly string[], hasArrived: boolean, now: number): void {
    const { stored, anchors } = this.#identity
    stored.transact(() => anchors.settle(anchorIds, hasArrived, now))
  }
}

export function recordOf(owner: string, { anchor, log, index }: OwnedAnchor): AnchorRecord {
  const { attestations, ...leaf } = anchor
  const position = log === null || index === null ? null : { log, index }
  return { ...leaf, attestations, status: 'submitted', owner, position }
}
