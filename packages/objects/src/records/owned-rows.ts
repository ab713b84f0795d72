/**
 * Rows by their owner: a record has one sealed part for each owner.
 *
 * @module
 */
import type { Cell, RecordedRows } from './record.ts'

/** Added to what is read of a table: whose the row is, null if it is the object's. Never a column of a table. */
export const OWNER_COLUMN = '@owner'

/**
 * Divides what was read of tables: the part of the object comes first, with what is replaced. The others have rows that
 * are added to it.
 */
export function byOwner(tables: readonly RecordedRows[], object: string): ReadonlyMap<string, readonly RecordedRows[]> {
  const parts = new Map<string, RecordedRows[]>([[object, []]])
  const add = (owner: string, rows: RecordedRows) => parts.set(owner, [...(parts.get(owner) ?? []), rows])
  for (const one of tables) {
    const at = one.columns.indexOf(OWNER_COLUMN)
    if (at === -1) {
      add(object, one)
      continue
    }
    const { ownerInKey, keys, ...rest } = one
    const columns = one.columns.toSpliced(at, 1)
    const rows = Map.groupBy(one.rows, (row) => ownerIn(row[at], object))
    const named = ownerInKey === undefined ? new Map<string, never>() : grouped(keys, ownerInKey, object)
    const bare = (owner: string) => (rows.get(owner) ?? []).map((row) => row.toSpliced(at, 1))
    // Without keys, what the table has is replaced; with them, only what they name.
    const replaced = keys && { keys: ownerInKey === undefined ? keys : (named.get(object) ?? []) }
    const own = { ...rest, columns, rows: bare(object), ...replaced }
    if (!replaced || replaced.keys.length > 0 || own.rows.length > 0) add(object, own)
    for (const owner of new Set([...rows.keys(), ...named.keys()])) {
      if (owner === object) continue
      add(owner, { table: one.table, from: null, columns, rows: bare(owner), keys: named.get(owner) ?? [] })
    }
  }
  return parts
}

function grouped(keys: RecordedRows['keys'], at: number, object: string) {
  return Map.groupBy(keys ?? [], (key) => ownerIn(key[at], object))
}

function ownerIn(cell: Cell | undefined, object: string): string {
  return typeof cell === 'string' ? cell : object
}
