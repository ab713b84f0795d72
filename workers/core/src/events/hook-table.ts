import type { TableGroup } from '@svc/objects'
import type { EventHook, HookFailure } from '@svc/protocol/events/hooks'

export const HOOKS: TableGroup = {
  name: 'event_hooks',
  steps: [
    {
      name: 'web hooks',
      sql: `CREATE TABLE event_hooks (
              hook_id TEXT PRIMARY KEY, url TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL,
              delivered INTEGER NOT NULL, due_at INTEGER, attempts INTEGER NOT NULL, failing_since INTEGER,
              failure TEXT, disabled_at INTEGER, active_since INTEGER,
              -- Its place among the hooks: 0 to 4. The number of deliveries of a day is kept by place.
              place INTEGER NOT NULL,
              -- Once it was deleted: when that takes effect, and the number of the event that then says so.
              removes_at INTEGER, last_event INTEGER
            ) STRICT, WITHOUT ROWID`,
    },
  ],
}

export interface HookRow {
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
  disabled_at: number | null
  active_since: number | null
  place: number
  removes_at: number | null
  last_event: number | null
}

/** A hook, and what only its object needs to know. */
export interface StoredHook extends EventHook {
  readonly activeSince: number | null
  /** Of a deleted one: the number of the event that says so, which is the last that it is told. */
  readonly lastEvent: number | null
}

export function hookOf(row: HookRow): EventHook {
  const { hook_id: hookId, url, created_at: createdAt, delivered, failure, due_at: nextAttemptAt } = row
  const { removes_at: removesAt } = row
  const status = removesAt === null ? row.status : 'removing'
  return { hookId, url, status, createdAt, delivered, failure, nextAttemptAt, removesAt }
}

export function storedHookOf(row: HookRow): StoredHook {
  return { ...hookOf(row), activeSince: row.active_since, lastEvent: row.last_event }
}
