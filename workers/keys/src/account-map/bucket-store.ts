import type { Sql } from '@svc/objects'
import { HASH_BYTES } from '@svc/protocol/base/labels'
import { MAP_LEAF_BYTES } from '@svc/protocol/keys/account-map'
import { EMPTY_SLOT, PAGE_SLOTS, type Page, type PageStore, type Slot } from '@svc/protocol/keys/map-pages'

/** What a slot has, in the bytes of a page. */
const LENGTHS: readonly number[] = [0, MAP_LEAF_BYTES, HASH_BYTES]

type PageRow = { epoch: number; slots: ArrayBuffer; undo: ArrayBuffer }

/** The pages of a bucket in its object's SQLite. */
export class BucketStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The pages as they are now; writes belong to an epoch, before which each page can still be read. */
  at(epoch: number): PageStore {
    return {
      get: (digits) => {
        const row = this.#row(digits)
        return row && pageOf(row.slots)
      },
      put: (digits, page, before) => this.#put(digits, page, before, epoch),
    }
  }

  /** The pages as they were before an epoch, which must be the newest one that has changed any. */
  before(epoch: number): PageStore {
    return {
      get: (digits) => {
        const row = this.#row(digits)
        if (!row) return null
        const page = [...pageOf(row.slots)]
        if (row.epoch === epoch) for (const [index, slot] of undoOf(row.undo)) page[index] = slot
        return page
      },
      put: () => {
        throw new Error('an earlier map cannot be changed')
      },
    }
  }

  clear(): void {
    this.#sql.exec('DELETE FROM pages')
  }

  #put(digits: string, page: Page, before: ReadonlyMap<number, Slot>, epoch: number): void {
    const row = before.size === 0 ? null : this.#row(digits)
    // What an earlier call of this epoch has kept is older.
    const kept = row?.epoch === epoch ? new Map([...before, ...undoOf(row.undo)]) : before
    this.#sql.exec(
      'INSERT OR REPLACE INTO pages (digits, epoch, slots, undo) VALUES (?, ?, ?, ?)',
      digits,
      epoch,
      pageBytes(page),
      undoBytes(kept),
    )
  }

  #row(digits: string): PageRow | null {
    const [row] = this.#sql.exec<PageRow>('SELECT epoch, slots, undo FROM pages WHERE digits = ?', digits).toArray()
    return row ?? null
  }
}

/** Two bits per slot for what it has, then the slots. */
const KINDS_BYTES = PAGE_SLOTS / 4
const kindOf = (slot: Slot) => LENGTHS.indexOf(slot.length)

function pageBytes(page: Page): Uint8Array {
  const bytes = new Uint8Array(page.reduce((length, slot) => length + slot.length, KINDS_BYTES))
  let at = KINDS_BYTES
  for (const [index, slot] of page.entries()) {
    bytes[index >> 2]! |= kindOf(slot) << (2 * (index & 3))
    bytes.set(slot, at)
    at += slot.length
  }
  return bytes
}

function pageOf(stored: ArrayBuffer): Page {
  const bytes = new Uint8Array(stored)
  let at = KINDS_BYTES
  return Array.from({ length: PAGE_SLOTS }, (_, index) => {
    const length = LENGTHS[((bytes[index >> 2] ?? 0) >> (2 * (index & 3))) & 3] ?? 0
    at += length
    return length === 0 ? EMPTY_SLOT : bytes.subarray(at - length, at)
  })
}

/** For each slot its number, what it had, and the bytes of that. */
function undoBytes(slots: ReadonlyMap<number, Slot>): Uint8Array {
  const bytes = new Uint8Array([...slots.values()].reduce((length, slot) => length + 2 + slot.length, 0))
  let at = 0
  for (const [index, slot] of slots) {
    bytes.set([index, kindOf(slot)], at)
    bytes.set(slot, at + 2)
    at += 2 + slot.length
  }
  return bytes
}

function undoOf(stored: ArrayBuffer): [number, Slot][] {
  const bytes = new Uint8Array(stored)
  const slots: [number, Slot][] = []
  for (let at = 0; at < bytes.length; ) {
    const length = LENGTHS[bytes[at + 1] ?? 0] ?? 0
    slots.push([bytes[at] ?? 0, bytes.subarray(at + 2, at + 2 + length)])
    at += 2 + length
  }
  return slots
}
