import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { objectsIn, openLogName, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { AnchorFiles } from './files.ts'
import { AnchorIndex } from './index-store.ts'
import type { OwnedAnchor } from './owned.ts'
import type { AnchorTransaction } from './transaction.ts'

/**
 * Carries anchors from their owner's object to where everybody reads them: the body to R2, the leaf to the log, and then
 * a row to the index. Every step is idempotent, and its result is durable before the next one, so that a delivery which
 * was interrupted anywhere goes on. False if something could not be reached.
 */
export async function deliverAnchors(anchors: AnchorTransaction, env: Env): Promise<boolean> {
  const due = anchors.due(Date.now())
  if (!due) return true
  const delivery = new Delivery(anchors, due.did, env)
  const hasArrived = await delivery.run(due.anchors).then(
    () => true,
    () => false,
  )
  const anchorIds = due.anchors.map(({ anchor }) => anchor.anchorId)
  anchors.settle(anchorIds, hasArrived, Date.now())
  return hasArrived
}

class Delivery {
  readonly #anchors: AnchorTransaction
  readonly #did: string
  readonly #env: Env
  readonly #index: AnchorIndex

  constructor(anchors: AnchorTransaction, did: string, env: Env) {
    this.#anchors = anchors
    this.#did = did
    this.#env = env
    this.#index = new AnchorIndex(env.DB)
  }

  async run(due: readonly OwnedAnchor[]): Promise<void> {
    const unplaced = due.filter(({ index }) => index === null)
    await this.#keepBodies(unplaced)
    const openLog = openLogName(readConfig(configSchema, this.#env), 'anchors')
    const sent = this.#anchors.sendTo(
      openLog,
      due.map(({ anchor }) => anchor.anchorId),
    )
    for (const [log, some] of Map.groupBy(sent, ({ log: name }) => name ?? openLog)) await this.#deliverTo(log, some)
  }

  /** No leaf without its body. One that is there already is what the world knows: the owner's object takes it back. */
  async #keepBodies(unplaced: readonly OwnedAnchor[]): Promise<void> {
    const files = new AnchorFiles(this.#env.BLOBS)
    for (const { anchor } of unplaced) {
      const kept = await files.keep({ ...anchor, owner: this.#did })
      if (kept.isNew) continue
      this.#anchors.restore(kept.anchor)
      const known = await this.#index.find(anchor.anchorId)
      if (known) this.#anchors.placed([{ anchorId: anchor.anchorId, position: known.position }])
    }
  }

  async #deliverTo(log: string, some: readonly OwnedAnchor[]): Promise<void> {
    const object = objectsIn(this.#env, this.#env.ANCHOR_LOG).getByName(log)
    const leaves = some
      .filter(({ index }) => index === null)
      .map(({ anchor }) => ({ leafId: anchor.anchorId, entry: anchorEntry({ ...anchor, owner: this.#did }) }))
    if (leaves.length > 0) {
      const answer = await object.submit(log, Date.now(), leaves)
      if (!answer.ok) throw new Error(`the log is ${answer.error.reason}`)
      this.#anchors.placed(answer.value.map(({ leafId, index }) => ({ anchorId: leafId, position: { log, index } })))
    }
    const placed = this.#anchors.sendTo(
      log,
      some.map(({ anchor }) => anchor.anchorId),
    )
    const rows = placed.flatMap(({ anchor, index }) => (index === null ? [] : [{ ...anchor, owner: this.#did, index }]))
    await this.#index.put(log, rows)
    // Nobody waits for this: the log asks the owners of whatever was not acknowledged.
    void object
      .acknowledge(
        log,
        rows.map(({ index }) => index),
      )
      .catch(() => {})
  }
}
