import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { Result } from '@svc/protocol/base/result'
import { ANCHOR_SALT_BYTES, type AnchorRecord } from '@svc/protocol/ledger/anchors'
import { ChainTransaction } from '../chain/transaction.ts'
import { EventObject } from '../events/object.ts'
import { deliverAnchors } from './delivery.ts'
import { type AnchorFacts, type AnchorRefusal, AnchorTransaction, type NewAnchor } from './transaction.ts'

/** A request waits this long for the log, which makes a batch a second. */
const DELIVERY_WAIT_MS = 5_000

/** What the object of an identity does for its anchors. */
export abstract class AnchorOwnerObject extends EventObject {
  // A property of the instance: it cannot be reached over RPC.
  /** Delivers until an anchor is delivered, or everything that is due if it is null. One delivery runs at a time. */
  readonly deliverAnchors = async (anchorId: string | null): Promise<void> => {
    for (let hasArrived = true; hasArrived && this.#anchors.isWaiting(anchorId); ) {
      this.#delivering ??= deliverAnchors(this.#anchors, this.env).finally(() => {
        this.#delivering = null
      })
      hasArrived = await this.#delivering
    }
  }
  readonly #anchors: AnchorTransaction
  #delivering: Promise<boolean> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#anchors = new AnchorTransaction(this.transaction, new ChainTransaction(this.transaction))
  }

  /** Durable when this returns. The caller has verified the attestations. */
  submitAnchor(did: string, anchor: NewAnchor): Result<AnchorRecord, AnchorRefusal> {
    const salt = encodeBase64url(crypto.getRandomValues(new Uint8Array(ANCHOR_SALT_BYTES)))
    return this.#anchors.submit(did, anchor, { now: Date.now(), salt })
  }

  /** Waits for the log to take an anchor, for a few seconds at most; its alarm goes on. */
  async deliverAnchor(anchorId: string): Promise<AnchorRecord | null> {
    const late = new AbortController()
    const timeout = scheduler.wait(DELIVERY_WAIT_MS, { signal: late.signal }).catch(() => {})
    await Promise.race([this.deliverAnchors(anchorId), timeout])
    late.abort()
    return this.anchor(anchorId)
  }

  /** As this object has it; what was published of it is in the index. */
  anchor(anchorId: string): AnchorRecord | null {
    const identity = this.transaction.read()
    return identity && this.#anchors.record(identity.did, anchorId)
  }

  /** Deletes a withheld anchor and notifies its owner, once. */
  withholdAnchor(anchorId: string, leaf: string): void {
    this.#anchors.withhold(anchorId, leaf)
    this.reportEvents([{ kind: 'anchor.withheld', ref: anchorId, id: anchorId }])
  }

  anchorFacts(): AnchorFacts {
    return this.#anchors.facts()
  }
}
