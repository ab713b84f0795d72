import type { ObjectStorage } from '@svc/objects'
import { edgeKeys, type LogFiles } from './files.ts'
import { PERIOD_MS } from './leaf-ids.ts'
import type { LogStore } from './store.ts'

/** The ids of a period are kept this long after its end, so any call that carries one of them is refused by then. */
const KEPT_MS = PERIOD_MS
/** A reader asks for the head before it asks for tiles; five minutes later it has them. */
const GRACE_MS = 300_000
/** An object is restored to at most 30 days ago: any head that it may lack is still there. */
const HEADS_MS = 40 * 86_400_000
const RETRY_MS = 5_000
/** Sizes whose tiles are deleted per call to R2. */
const MAX_TIDIED = 250
/** Between two rounds of deleting. */
const TIDY_MS = 60_000
/** Owners who have not said that they know a place are asked once a day, a few at a time. */
const ASK_MS = 86_400_000
const MAX_ASKED = 100

export interface UpkeepParts {
  readonly stored: ObjectStorage
  readonly store: LogStore
  readonly files: LogFiles
  /** Whether the owner of a leaf stores its place. */
  readonly isKnown: (leafId: string) => Promise<boolean>
  /** Told of a failure that delays the upkeep. */
  readonly onFault: (error: unknown) => void
  readonly now: () => number
}

/** Deletes what nobody needs any more of one log: ids, heads, and the tiles of sizes that it had. */
export class LogUpkeep {
  readonly #parts: UpkeepParts

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** The work of the object's alarm, once it has caught up. Idempotent at every step. */
  async run(catchUp: () => Promise<void>): Promise<void> {
    const { stored, now } = this.#parts
    stored.alarm.wentOff()
    if (!stored.exists) return
    const isDone = await this.#tidy(catchUp, now()).then(
      () => true,
      (error: unknown) => {
        this.#parts.onFault(error)
        return false
      },
    )
    this.setAlarm(now() + (isDone ? TIDY_MS : RETRY_MS))
  }

  async #tidy(catchUp: () => Promise<void>, now: number): Promise<void> {
    const { stored, store } = this.#parts
    await catchUp()
    for (const { period, endsAt } of store.ids.openPeriods()) {
      if (endsAt + KEPT_MS <= now) stored.transact(() => store.ids.dropPeriod(period, now - KEPT_MS, store.head().size))
    }
    store.ids.forgetAcknowledged(now - KEPT_MS)
    await this.#askOwners(now)
    await this.#removeFiles(now)
  }

  /** Learns what a lost acknowledgement would have said, above all after a restore. */
  async #askOwners(now: number): Promise<void> {
    const { stored, store, isKnown } = this.#parts
    const asked = store.ids.unknown(now - ASK_MS, MAX_ASKED)
    if (asked.length === 0) return
    const answers = await Promise.all(asked.map(({ leafId }) => isKnown(leafId).catch(() => false)))
    stored.transact(() => {
      const places = asked.map(({ index }) => index)
      store.ids.asked(places, now)
      const known = places.filter((_, i) => answers[i] === true)
      store.ids.acknowledge(known, now)
    })
  }

  async #removeFiles(now: number): Promise<void> {
    const { files, stored, store } = this.#parts
    for (;;) {
      const retired = store.retired(now - GRACE_MS, MAX_TIDIED)
      if (retired.length === 0) break
      await files.remove(
        retired.flatMap(({ size, next }) => without(edgeKeys(files.log, size), edgeKeys(files.log, next))),
      )
      stored.transact(() => store.removed(retired.map(({ size }) => size)))
    }
    for (;;) {
      const heads = store.ids.oldestHeads()
      if (!heads || heads.endedAt + HEADS_MS > now) break
      await files.removeHeads(heads.from, heads.to)
      stored.transact(() => store.ids.forgetPeriod(heads.period))
    }
  }

  /** Not awaited: the output gate holds the response until the alarm is durable too. */
  setAlarm(notBefore: number): void {
    const { stored, store } = this.#parts
    const retired = store.oldestRetired()
    const [period] = store.ids.openPeriods()
    const acknowledged = store.ids.oldestAcknowledged()
    const heads = store.ids.oldestHeads()
    const asked = store.ids.oldestUnknown()
    const next = Math.min(
      retired === null ? Number.POSITIVE_INFINITY : retired + GRACE_MS,
      period === undefined ? Number.POSITIVE_INFINITY : period.endsAt + KEPT_MS,
      acknowledged === null ? Number.POSITIVE_INFINITY : acknowledged + KEPT_MS,
      heads === null ? Number.POSITIVE_INFINITY : heads.endedAt + HEADS_MS,
      asked === null ? Number.POSITIVE_INFINITY : asked + ASK_MS,
    )
    if (Number.isFinite(next)) void stored.alarm.by(Math.max(notBefore, next))
  }
}

function without(keys: readonly string[], others: readonly string[]): string[] {
  return keys.filter((key) => !others.includes(key))
}
