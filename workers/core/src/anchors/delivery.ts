import { placedBy } from '@svc/log'
import { anchorEntry, anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { AnchorFiles } from './files.ts'
import { AnchorIndex } from './index-store.ts'
import { anchorLogs } from './logs.ts'
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
  const work = { service: 'core', delayed: 'anchors', waiting: due.anchors.length }
  const hasArrived = await doneOrDelayed(work, () => delivery.run(due.anchors))
  const anchorIds = due.anchors.map(({ anchor }) => anchor.anchorId)
  anchors.settle(anchorIds, hasArrived, Date.now())
  return hasArrived
}

const NOTHING = { places: [], next: null } as const

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
    const withheld = await this.#keepBodies(due.filter(({ index }) => index === null))
    const shown = due.map(({ anchor }) => anchor.anchorId).filter((anchorId) => !withheld.has(anchorId))
    const configured = anchorLogs(this.#env).configured
    const sent = this.#anchors.sendTo(configured, shown)
    for (const [log, some] of Map.groupBy(sent, (owned) => owned.log ?? configured)) {
      for (let next = await this.#deliverTo(log, some); next; ) next = await this.#deliverTo(next.log, next.some)
    }
  }

  /**
   * Stores each body before its leaf. If one is already stored, it was published, and the owner's object adopts it. Returns
   * the withheld ones.
   */
  async #keepBodies(unplaced: readonly OwnedAnchor[]): Promise<ReadonlySet<string>> {
    const files = new AnchorFiles(this.#env.BLOBS)
    const withheld = new Set<string>()
    for (const { anchor } of unplaced) {
      const kept = await files.keep({ ...anchor, owner: this.#did })
      if ('withheld' in kept) {
        this.#anchors.withhold(anchor.anchorId, kept.withheld)
        withheld.add(anchor.anchorId)
        continue
      }
      if (kept.isNew) continue
      this.#anchors.restore(kept.anchor)
      const known = await this.#index.find(anchor.anchorId)
      if (known) this.#anchors.placed([{ anchorId: anchor.anchorId, position: known.position }])
    }
    return withheld
  }

  /** What a closed log has not taken is for the next one. */
  async #deliverTo(
    log: string,
    some: readonly OwnedAnchor[],
  ): Promise<{ readonly log: string; readonly some: readonly OwnedAnchor[] } | null> {
    const object = objectsIn(this.#env, this.#env.ANCHOR_LOG).getByName(log)
    const indexes = new Map(
      some.flatMap(({ anchor, index }): [string, number][] => (index === null ? [] : [[anchor.anchorId, index]])),
    )
    const owned = some.map(({ anchor }) => ({ ...anchor, owner: this.#did }))
    const unplaced = owned.filter(({ anchorId }) => !indexes.has(anchorId))
    const leaves = unplaced.map((anchor) => ({ leafId: anchorLeafOf(anchor), entry: anchorEntry(anchor) }))
    const idOf = new Map(leaves.map(({ leafId }, i) => [leafId, unplaced[i]?.anchorId ?? '']))
    const taken = leaves.length > 0 ? placedBy(await object.submit(log, Date.now(), leaves)) : NOTHING
    if (!taken) throw new Error('the log takes nothing now')
    const placed = taken.places.map(({ leafId, index }) => ({
      anchorId: idOf.get(leafId) ?? '',
      position: { log, index },
    }))
    this.#anchors.placed(placed)
    for (const { anchorId, position } of placed) indexes.set(anchorId, position.index)
    await this.#index.put(
      log,
      owned.flatMap((anchor) => {
        const index = indexes.get(anchor.anchorId)
        return index === undefined ? [] : [{ ...anchor, index }]
      }),
    )
    // Not awaited: if it is lost, the log asks the owner.
    void doneOrDelayed({ service: 'core', delayed: 'anchor acknowledgements' }, async () =>
      object.acknowledge(log, [...indexes.values()]),
    )
    if (taken.next === null) return null
    const left = unplaced.map(({ anchorId }) => anchorId).filter((anchorId) => !indexes.has(anchorId))
    return { log: taken.next, some: this.#anchors.moveTo(taken.next, left) }
  }
}
