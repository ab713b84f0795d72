/**
 * One of the 256 buckets of the map of accounts, as pages of 16 slots. A page stands for a part of the map with two
 * accounts or more and is named by the hex digits of the labels that lead to it, after those of the bucket. A slot is
 * empty, or has one account, or the hash of the page below.
 *
 * @module
 */

import { equalBytes } from '../base/bytes.ts'
import { HASH_BYTES } from '../base/labels.ts'
import {
  counted,
  MAP_LEAF_BYTES,
  type MapAccount,
  mapAccountOf,
  mapLeafBytes,
  mapLeafHash,
  type Subtree,
} from './account-map.ts'
import { EMPTY_VALUE, type UpdateEntry } from './account-updates.ts'
import { descend, levelsOf, subtreeOf } from './map-tree.ts'

export const BUCKETS = 256
const BUCKET_DIGITS = 2
export const PAGE_SLOTS = 16

/** Which bucket has a label. */
export function bucketOf(label: string): number {
  return Number.parseInt(label.slice(0, BUCKET_DIGITS), 16)
}

/** Nothing, the bytes of an account, or the hash of a page: the length tells which. */
export type Slot = Uint8Array
export type Page = readonly Slot[]
export const EMPTY_SLOT: Slot = /* @__PURE__ */ new Uint8Array()

/** Where the pages of a bucket are. */
export interface PageStore {
  /** By its digits; null if there is no such page. */
  readonly get: (digits: string) => Page | null
  /** `before` has the slots that change, as they were. */
  readonly put: (digits: string, page: Page, before: ReadonlyMap<number, Slot>) => void
}

export type MapUpdate = Omit<UpdateEntry, 'kind'>

/** Counts updates of the bucket's labels, in the order of the log. Returns what the bucket comes to. */
export function countUpdates(store: PageStore, updates: readonly MapUpdate[]): Subtree {
  return countIn(store, '', updates)
}

export function bucketSubtree(store: PageStore): Subtree {
  return subtreeOf((store.get('') ?? []).map(slotSubtree))
}

export interface BucketPath {
  readonly terminal: MapAccount | null
  /** From the top of the bucket. */
  readonly siblings: readonly (Uint8Array | null)[]
}

/** The path of a label below the top of its bucket. */
export function bucketPath(store: PageStore, label: string): BucketPath {
  const siblings: (Uint8Array | null)[] = []
  for (let digits = ''; ; digits += digitAt(label, digits.length)) {
    const page = store.get(digits)
    if (!page && digits === '') return { terminal: null, siblings }
    if (!page) throw new Error('a page of the map is missing')
    const found = descend(levelsOf(page.map(slotSubtree)), slotOf(label, digits.length))
    siblings.push(...found.siblings)
    const slot = found.part === null ? EMPTY_SLOT : (page[found.part] ?? EMPTY_SLOT)
    if (slot.length === HASH_BYTES) continue
    return { terminal: slot.length === MAP_LEAF_BYTES ? mapAccountOf(slot) : null, siblings }
  }
}

function countIn(store: PageStore, digits: string, updates: readonly MapUpdate[]): Subtree {
  const before = store.get(digits)
  const page = before ? [...before] : Array.from({ length: PAGE_SLOTS }, () => EMPTY_SLOT)
  const changed = new Map<number, Slot>()
  for (const [index, some] of Map.groupBy(updates, ({ label }) => slotOf(label, digits.length))) {
    const slot = page[index] ?? EMPTY_SLOT
    const below = digits + index.toString(16)
    const next = slot.length === HASH_BYTES ? hashOf(countIn(store, below, some)) : slotAfter(store, below, slot, some)
    if (equalBytes(slot, next)) continue
    changed.set(index, slot)
    page[index] = next
  }
  if (changed.size > 0) store.put(digits, page, changed)
  return subtreeOf(page.map(slotSubtree))
}

/** A slot that had at most one account. */
function slotAfter(store: PageStore, below: string, slot: Slot, updates: readonly MapUpdate[]): Slot {
  const accounts = new Map<string, MapAccount>()
  if (slot.length > 0) {
    const account = mapAccountOf(slot)
    accounts.set(account.label, account)
  }
  for (const [label, some] of Map.groupBy(updates, (update) => update.label)) {
    const after = counted(accounts.get(label) ?? EMPTY_VALUE, some)
    if (after.seq > 0) accounts.set(label, { label, ...after })
  }
  return slotFor(store, below, [...accounts.values()])
}

function slotFor(store: PageStore, digits: string, accounts: readonly MapAccount[]): Slot {
  const [first] = accounts
  if (!first) return EMPTY_SLOT
  if (accounts.length === 1) return mapLeafBytes(first)
  const page = Array.from({ length: PAGE_SLOTS }, () => EMPTY_SLOT)
  for (const [index, some] of Map.groupBy(accounts, ({ label }) => slotOf(label, digits.length)))
    page[index] = slotFor(store, digits + index.toString(16), some)
  store.put(digits, page, new Map())
  return hashOf(subtreeOf(page.map(slotSubtree)))
}

function slotSubtree(slot: Slot): Subtree {
  if (slot.length === 0) return null
  return slot.length === HASH_BYTES ? { hash: slot, isLone: false } : { hash: mapLeafHash(slot), isLone: true }
}

/** Of a page below another one, which has two accounts or more. */
function hashOf(subtree: Subtree): Uint8Array {
  if (!subtree || subtree.isLone) throw new Error('a page of the map has fewer than two accounts')
  return subtree.hash
}

const digitAt = (label: string, depth: number) => label.charAt(BUCKET_DIGITS + depth)
const slotOf = (label: string, depth: number) => Number.parseInt(digitAt(label, depth), 16)
