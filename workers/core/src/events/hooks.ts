import type { Facts, ObjectStorage, Sql } from '@svc/objects'
import {
  type EventHook,
  HOOK_DISABLED_DAYS,
  HOOK_FAILING_DAYS,
  HOOK_FAREWELL_DAYS,
  HOOK_PENDING_HOURS,
  type HookFailure,
  MAX_EVENT_HOOKS,
  MAX_HOOK_DELIVERIES,
} from '@svc/protocol/events/hooks'
import { HOOKS, type HookRow, hookOf, type StoredHook, storedHookOf } from './hook-table.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Repeated after ten seconds, then twice as long each time, at most an hour. */
const RETRY_MS = 10_000
const MAX_RETRY_MS = HOUR_MS

/** How many deliveries there were on a day, counted from 1970, by the place of the hook. */
interface HookDay {
  readonly day: number
  readonly sent: readonly number[]
}

export interface DueHook {
  readonly hookId: string
  readonly url: string
  /** The number of the last event that the address took. */
  readonly delivered: number
  readonly lastEvent: number | null
}

/** Why a delivery did not arrive. `isGone`: the address wants no other. */
export interface Failed {
  readonly failure: HookFailure
  readonly isGone: boolean
  readonly retryAfterMs: number | null
}

/** Why a request about hooks is refused. */
export type HookRefusal = {
  readonly reason: 'address' | 'hook_limit' | 'not_found' | 'hook_not_proved' | 'receipts_unavailable' | 'unauthorized'
}

/** The web hooks of one identity, in its object's SQLite. */
export class HookStore {
  readonly #sql: Sql
  readonly #facts: Facts

  constructor(stored: ObjectStorage) {
    this.#sql = stored.tables(HOOKS)
    this.#facts = stored.facts
  }

  /** False if there are too many. It tells of what happens after `head`. */
  add(hookId: string, url: string, head: number, now: number): boolean {
    this.prune(now)
    const taken = this.#rows().map(({ place }) => place)
    if (taken.length >= MAX_EVENT_HOOKS) return false
    const place = Array.from({ length: MAX_EVENT_HOOKS }, (_, n) => n).find((n) => !taken.includes(n)) ?? 0
    this.#sql.exec(
      `INSERT INTO event_hooks (hook_id, url, status, created_at, delivered, attempts, place)
       VALUES (?, ?, 'pending', ?, ?, 0, ?)`,
      hookId,
      url,
      now,
      head,
      place,
    )
    return true
  }

  list(): EventHook[] {
    return this.#rows().map(hookOf)
  }

  find(hookId: string): EventHook | null {
    return this.list().find((hook) => hook.hookId === hookId) ?? null
  }

  stored(hookId: string): StoredHook | null {
    const row = this.#rows().find((one) => one.hook_id === hookId)
    return row ? storedHookOf(row) : null
  }

  remove(hookId: string): void {
    this.#sql.exec('DELETE FROM event_hooks WHERE hook_id = ?', hookId)
  }

  /** It is to be deleted then. */
  removeAt(hookId: string, at: number): void {
    this.#sql.exec('UPDATE event_hooks SET removes_at = ? WHERE hook_id = ? AND removes_at IS NULL', at, hookId)
  }

  /** Those whose deletion takes effect now, without an event that says so yet. */
  removed(now: number): string[] {
    return this.#rows()
      .filter(({ removes_at: at, last_event: last }) => at !== null && at <= now && last === null)
      .map(({ hook_id: hookId }) => hookId)
  }

  /** This event is the last that it is told. Deleted at once if it is told nothing. */
  endWith(hookId: string, sequence: number): void {
    this.#sql.exec('UPDATE event_hooks SET last_event = ? WHERE hook_id = ?', sequence, hookId)
    this.#sql.exec("DELETE FROM event_hooks WHERE hook_id = ? AND status <> 'active'", hookId)
  }

  /** The address has proved itself, perhaps after it was disabled or is being deleted. */
  activate(hookId: string, now: number): void {
    this.#sql.exec(
      `UPDATE event_hooks SET status = 'active', attempts = 0, failing_since = NULL, failure = NULL, disabled_at = NULL,
       removes_at = NULL, last_event = NULL, active_since = coalesce(active_since, ?) WHERE hook_id = ?`,
      now,
      hookId,
    )
  }

  /**
   * There is a new event: what waits for nothing else is due. If it decides who holds the identity, what waits for the
   * next day is due, too: that is at midnight, to the millisecond, while an address that fails has its own times.
   */
  wake(now: number, isDecisive: boolean): void {
    this.#sql.exec(
      `UPDATE event_hooks SET due_at = ? WHERE status = 'active' AND (due_at IS NULL OR (? AND due_at % ? = 0))`,
      now,
      isDecisive ? 1 : 0,
      DAY_MS,
    )
  }

  /** What is to be sent now. It counts towards the day of the hook, unless something decisive is to be told. */
  due(now: number, isDecisive: (after: number) => boolean): DueHook[] {
    const day = Math.floor(now / DAY_MS)
    const sent = [...this.#sentOn(day)]
    const due = this.#rows().filter(({ status, due_at: at }) => status === 'active' && at !== null && at <= now)
    const taken = due.filter(({ hook_id: hookId, delivered, place, last_event: last }) => {
      if (last !== null || isDecisive(delivered)) return true
      const count = sent[place] ?? 0
      if (count >= MAX_HOOK_DELIVERIES) {
        this.#dueAt(hookId, (day + 1) * DAY_MS)
        return false
      }
      sent[place] = count + 1
      return true
    })
    if (taken.length > 0) this.#facts.put('hookDay', { day, sent } satisfies HookDay)
    return taken.map(({ hook_id: hookId, url, delivered, last_event: lastEvent }) => ({
      hookId,
      url,
      delivered,
      lastEvent,
    }))
  }

  /**
   * Nothing if it was deleted, or has been settled, in the meantime. `next` is null with nothing left to tell. Deletes
   * it after the last event that it is told.
   */
  delivered({ hookId, delivered }: DueHook, upTo: number, next: number | null): void {
    this.#sql.exec(
      "DELETE FROM event_hooks WHERE hook_id = ? AND status = 'active' AND delivered = ? AND last_event <= ?",
      hookId,
      delivered,
      upTo,
    )
    this.#sql.exec(
      `UPDATE event_hooks SET delivered = ?, due_at = ?, attempts = 0, failing_since = NULL, failure = NULL
       WHERE hook_id = ? AND status = 'active' AND delivered = ?`,
      upTo,
      next,
      hookId,
      delivered,
    )
  }

  /** Nothing is to be told. */
  settle({ hookId }: DueHook): void {
    this.#dueAt(hookId, null)
  }

  /** Nothing could be sent, for a reason that is not the address. */
  postpone({ hookId }: DueHook, now: number): void {
    this.#dueAt(hookId, now + MAX_RETRY_MS)
  }

  /** Whether that disables it; one that was being deleted is gone then. */
  failed({ hookId, delivered }: DueHook, { failure, isGone, retryAfterMs }: Failed, now: number): boolean {
    const row = this.#rows().find((one) => one.hook_id === hookId)
    if (row?.status !== 'active' || row.delivered !== delivered) return false
    const since = row.failing_since ?? now
    const isOver = isGone || now - since >= HOOK_FAILING_DAYS * DAY_MS
    if (isOver && row.last_event !== null) {
      this.remove(hookId)
      return false
    }
    if (isOver) {
      this.#sql.exec(
        `UPDATE event_hooks SET status = 'disabled', disabled_at = ?, due_at = NULL, failure = ? WHERE hook_id = ?`,
        now,
        failure,
        hookId,
      )
      return true
    }
    const backoff = jittered(Math.min(RETRY_MS * 2 ** Math.min(row.attempts, 20), MAX_RETRY_MS))
    const wait = Math.max(backoff, Math.min(retryAfterMs ?? 0, MAX_RETRY_MS))
    this.#sql.exec(
      'UPDATE event_hooks SET attempts = attempts + 1, failing_since = ?, failure = ?, due_at = ? WHERE hook_id = ?',
      since,
      failure,
      now + wait,
      hookId,
    )
    return false
  }

  /** Deletes what was not proved in time, what has been disabled for long, and what does not take its last event. */
  prune(now: number): void {
    this.#sql.exec(
      `DELETE FROM event_hooks
       WHERE (status = 'pending' AND created_at <= ?) OR disabled_at <= ? OR (last_event IS NOT NULL AND removes_at <= ?)`,
      now - HOOK_PENDING_HOURS * HOUR_MS,
      now - HOOK_DISABLED_DAYS * DAY_MS,
      now - HOOK_FAREWELL_DAYS * DAY_MS,
    )
  }

  /** When a delivery is due or a hook is to be deleted; null if neither is. */
  nextAt(): number | null {
    const times = this.#rows().flatMap((row) => {
      if (row.status === 'pending') return [row.created_at + HOOK_PENDING_HOURS * HOUR_MS]
      const { due_at: due, disabled_at: disabled, removes_at: removes, last_event: last } = row
      const end = removes === null || last === null ? removes : removes + HOOK_FAREWELL_DAYS * DAY_MS
      return [due, disabled && disabled + HOOK_DISABLED_DAYS * DAY_MS, end].filter((time) => time !== null)
    })
    return times.length === 0 ? null : Math.min(...times)
  }

  #sentOn(day: number): readonly number[] {
    const newest = this.#facts.get<HookDay>('hookDay')
    return newest?.day === day ? newest.sent : Array.from({ length: MAX_EVENT_HOOKS }, () => 0)
  }

  #dueAt(hookId: string, at: number | null): void {
    this.#sql.exec('UPDATE event_hooks SET due_at = ? WHERE hook_id = ?', at, hookId)
  }

  /** The oldest first; at most `MAX_EVENT_HOOKS`. */
  #rows(): HookRow[] {
    return this.#sql.exec<HookRow>('SELECT * FROM event_hooks ORDER BY created_at, hook_id').toArray()
  }
}

/** Between four fifths and six fifths, so that what failed together is not repeated together. */
function jittered(milliseconds: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return Math.round(milliseconds * (0.8 + (0.4 * random) / 2 ** 32))
}
