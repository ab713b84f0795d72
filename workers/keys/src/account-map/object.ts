import { VersionedObject } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { type Backlog, raiseAlarm } from '@svc/service'
import { mapBuckets, mapLogs } from './bindings.ts'
import type { SignedMap } from './map-store.ts'
import { MAP_MS, MapPublisher } from './publisher.ts'
import { ACCOUNT_MAP } from './schema.ts'

/** Updates that come in within this share the first map after a pause. */
const GATHER_MS = 500
const RETRY_MS = 5_000

/**
 * The map of all accounts of a deployment: which map is the newest, and the only one who makes the next. Its alarm is
 * set while there are updates that no map has.
 */
export class AccountMapObject extends VersionedObject<Env> {
  static override readonly schemas = [ACCOUNT_MAP]
  readonly #publisher: MapPublisher
  #working: Promise<unknown> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#publisher = new MapPublisher({
      stored: this.stored,
      logs: mapLogs(env),
      buckets: mapBuckets(env),
      now: () => Date.now(),
    })
  }

  /**
   * The log has updates that no map may have. Returns the time at which the next map is made: updates that
   * are added before that need no other call.
   */
  wake(): number {
    const now = Date.now()
    const known = this.stored.facts.get<number>('due')
    // A clock that was ahead delays nothing once it is right again.
    if (known !== null && known > now && known <= now + MAP_MS) return known
    const due = Math.max(now + GATHER_MS, Math.min(this.#publisher.signed()?.at ?? 0, now) + MAP_MS)
    this.stored.transact(() => {
      this.stored.create(ACCOUNT_MAP)
      this.stored.facts.put('due', due)
    })
    void this.stored.alarm.by(due)
    return due
  }

  /** The newest map. The first call for a log makes its first map. */
  async current(log: string): Promise<SignedMap> {
    const isMissing = () => this.#publisher.signed()?.counted.log !== log
    // One of many callers makes it.
    if (isMissing()) await this.#alone(async () => (isMissing() ? this.#turn() : undefined))
    const signed = this.#publisher.signed()
    // After a loss, counting takes longer than a request.
    if (!signed) throw new DependencyFault('account map')
    return signed
  }

  /** The next map, if it is due, and since when. */
  backlog(): Backlog {
    const due = this.stored.facts.get<number>('due')
    return due === null || due > Date.now() ? { depth: 0, oldestAt: null } : { depth: 1, oldestAt: due }
  }

  /** Whether the place of a map's leaf is stored here. */
  isSigned(epoch: number): boolean {
    return (this.#publisher.signed()?.epoch ?? 0) >= epoch
  }

  /** A reader has found that a bucket does not have what the newest map says. */
  repair(bucket: number): void {
    this.#publisher.askRepair(bucket)
    void this.stored.alarm.by(Date.now())
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    try {
      await this.#alone(() => this.#turn())
      const due = this.stored.facts.get<number>('due')
      if (due !== null) void this.stored.alarm.by(due)
    } catch (error) {
      raiseAlarm({ service: 'keys', alarm: 'map_not_published', reason: reasonOf(error) })
      void this.stored.alarm.by(Date.now() + RETRY_MS)
    }
  }

  async #turn(): Promise<void> {
    const due = this.stored.facts.get<number>('due')
    // Before the log is read, so that what is added from now on asks again.
    if (due !== null && due <= Date.now()) this.stored.transact(() => this.stored.facts.delete('due'))
    if ((await this.#publisher.turn()) === 'unfinished') {
      // It is late since then, however many turns it takes.
      this.stored.transact(() => this.stored.facts.put('due', due ?? Date.now()))
      void this.stored.alarm.by(Date.now())
      return
    }
    const signed = this.#publisher.signed()
    // Updates that were added while the map was made.
    if (signed && signed.index > signed.counted.size) this.wake()
  }

  /** One after another. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work)
    this.#working = done.catch(() => {})
    return done
  }
}

/** What could not be reached, or the kind of error: a message may contain more. */
function reasonOf(error: unknown): string {
  if (error instanceof DependencyFault) return error.dependency
  return error instanceof Error ? error.name : 'unknown'
}
