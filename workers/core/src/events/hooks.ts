import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import {
  type EventHook,
  HOOK_DISABLED_DAYS,
  HOOK_FAILING_DAYS,
  HOOK_PENDING_HOURS,
  type HookFailure,
  MAX_EVENT_HOOKS,
  MAX_HOOK_DELIVERIES,
} from '@svc/protocol/events/hooks'

export const HOOKS: TableGroup = {
  name: 'event_hooks',
  steps: [
    {
      name: 'web hooks',
      sql: `CREATE TABLE event_hooks (
              hook_id TEXT PRIMARY KEY, url TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL,
              delivered INTEGER NOT NULL, due_at INTEGER, attempts INTEGER NOT NULL, failing_since INTEGER,
              failure TEXT, disabled_at INTEGER
            ) STRICT, WITHOUT ROWID`,
    },
  ],
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Repeated after ten seconds, then twice as long each time, at most an hour. */
const RETRY_MS = 10_000
const MAX_RETRY_MS = HOUR_MS

interface Row {
  [column: string]: SqlStorageValue
  hook_id: string
  url: string
  status: 'pending' | 'active' | 'disabled'
  created_at: number
  delivered: number
  due_at: number | null
  attempts: number
  failing_since: number | null
  failure: HookFailure | null
}

/** How many deliveries there were on a day, counted from 1970. */
interface HookDay {
  readonly day: number
  readonly sent: number
}

export interface DueHook {
  readonly hookId: string
  readonly url: string
  /** The number of the last event that the address took. */
  readonly delivered: number
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
    if (this.#rows().length >= MAX_EVENT_HOOKS) return false
    this.#sql.exec(
      `INSERT INTO event_hooks (hook_id, url, status, created_at, delivered, attempts)
       VALUES (?, ?, 'pending', ?, ?, 0)`,
      hookId,
      url,
      now,
      head,
    )
    return true
  }

  list(): EventHook[] {
    return this.#rows().map(hookOf)
  }

  find(hookId: string): EventHook | null {
    return this.list().find((hook) => hook.hookId === hookId) ?? null
  }

  remove(hookId: string): void {
    this.#sql.exec('DELETE FROM event_hooks WHERE hook_id = ?', hookId)
  }

  /** The address has proved itself, perhaps after it was disabled. */
  activate(hookId: string): void {
    this.#sql.exec(
      `UPDATE event_hooks SET status = 'active', attempts = 0, failing_since = NULL, failure = NULL, disabled_at = NULL
       WHERE hook_id = ?`,
      hookId,
    )
  }

  /** There is a new event: what waits for nothing else is due. */
  wake(now: number): void {
    this.#sql.exec("UPDATE event_hooks SET due_at = ? WHERE status = 'active' AND due_at IS NULL", now)
  }

  /** What is to be sent now, which counts towards the day of the identity. */
  due(now: number): DueHook[] {
    const due = this.#rows().filter(({ status, due_at: at }) => status === 'active' && at !== null && at <= now)
    const day = Math.floor(now / DAY_MS)
    const sent = this.#sentOn(day)
    const taken = due.slice(0, Math.max(0, MAX_HOOK_DELIVERIES - sent))
    for (const { hook_id: hookId } of due.slice(taken.length)) this.#dueAt(hookId, (day + 1) * DAY_MS)
    if (taken.length > 0) this.#facts.put('hookDay', { day, sent: sent + taken.length } satisfies HookDay)
    return taken.map(({ hook_id: hookId, url, delivered }) => ({ hookId, url, delivered }))
  }

  /** Nothing if it was deleted, or has been settled, in the meantime. `next` is null with nothing left to tell. */
  delivered({ hookId, delivered }: DueHook, upTo: number, next: number | null): void {
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

  /** Whether that disables it. */
  failed({ hookId, delivered }: DueHook, { failure, isGone, retryAfterMs }: Failed, now: number): boolean {
    const row = this.#rows().find((one) => one.hook_id === hookId)
    if (row?.status !== 'active' || row.delivered !== delivered) return false
    const since = row.failing_since ?? now
    if (isGone || now - since >= HOOK_FAILING_DAYS * DAY_MS) {
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

  /** Deletes what was not proved in time, and what has been disabled for long. */
  prune(now: number): void {
    this.#sql.exec(
      "DELETE FROM event_hooks WHERE (status = 'pending' AND created_at <= ?) OR disabled_at <= ?",
      now - HOOK_PENDING_HOURS * HOUR_MS,
      now - HOOK_DISABLED_DAYS * DAY_MS,
    )
  }

  /** When a delivery is due or a hook is to be deleted; null if neither is. */
  nextAt(): number | null {
    const [row] = this.#sql
      .exec<{ at: number | null }>(
        `SELECT min(CASE status WHEN 'pending' THEN created_at + ? WHEN 'disabled' THEN disabled_at + ? ELSE due_at END) AS at
         FROM event_hooks`,
        HOOK_PENDING_HOURS * HOUR_MS,
        HOOK_DISABLED_DAYS * DAY_MS,
      )
      .toArray()
    return row?.at ?? null
  }

  #sentOn(day: number): number {
    const newest = this.#facts.get<HookDay>('hookDay')
    return newest?.day === day ? newest.sent : 0
  }

  #dueAt(hookId: string, at: number | null): void {
    this.#sql.exec('UPDATE event_hooks SET due_at = ? WHERE hook_id = ?', at, hookId)
  }

  /** The oldest first; at most `MAX_EVENT_HOOKS`. */
  #rows(): Row[] {
    return this.#sql.exec<Row>('SELECT * FROM event_hooks ORDER BY created_at, hook_id').toArray()
  }
}

/** Between four fifths and six fifths, so that what failed together is not repeated together. */
function jittered(milliseconds: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return Math.round(milliseconds * (0.8 + (0.4 * random) / 2 ** 32))
}

function hookOf({ hook_id: hookId, url, status, created_at: createdAt, delivered, failure, due_at }: Row): EventHook {
  return { hookId, url, status, createdAt, delivered, failure, nextAttemptAt: due_at }
}
