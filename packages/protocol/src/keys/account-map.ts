/**
 * The map of all accounts (workers/docs/pages/developer/keys.md): a binary tree over their labels that commits to the
 * head and the newest key agreement of each. A leaf of the log names its root, so that one path proves what an account's
 * updates come to, or that it has none.
 *
 * The map is a function of the log's entries. An update whose number does not follow that of its account is not
 * counted, so that one account cannot stop the map of the others.
 *
 * @module
 */

import * as z from 'zod'
import { sha3_384 } from '#pqc/sha3'
import { decodeBase64url, encodeBase64url } from '../base/base64url.ts'
import { fromHex, hashSchema, toHex } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import { HASH_BYTES } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { readEntry } from '../merkle/entries.ts'
import {
  type AccountValue,
  accountLabelSchema,
  EMPTY_VALUE,
  leafIdOf,
  loggedAgreementSchema,
  nextValue,
  seqSchema,
  type UpdateEntry,
  updateEntryOf,
} from './account-updates.ts'

/** The leaf of the map for one account. */
export interface MapAccount extends AccountValue {
  readonly label: string
}

export const mapAccountSchema = /* @__PURE__ */ z.strictObject({
  label: accountLabelSchema,
  seq: seqSchema,
  head: hashSchema,
  agreement: loggedAgreementSchema,
})

export const mapEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.literal('map'),
      size: z
        .int()
        .min(1)
        .meta({ description: 'The map covers the first `size` leaves, and all logs before this one' }),
      root: hashSchema,
      epoch: z
        .int()
        .min(1)
        .meta({ description: 'Number of the map, from 1; goes on when a log is continued by another' }),
      at: z.int().min(0).meta({ description: 'When the map was begun, epoch ms' }),
    })
    .meta({ id: 'MapEntry', description: 'Entry of the log that commits to the map of all accounts' }),
)
export type MapEntry = z.infer<typeof mapEntrySchema>

export function mapLine({ size, root, epoch, at }: Omit<MapEntry, 'kind'>): string {
  return jcs({ kind: 'map', size, root, epoch, at })
}

/** The map that a line commits to; null for a line of another kind. Later lines may have more members. */
export function mapEntryOf(line: string): MapEntry | null {
  const { kind, value } = readEntry(line)
  const parsed = kind === 'map' ? mapEntrySchema.loose().safeParse(value) : null
  return parsed?.success ? parsed.data : null
}

const MAP_LEAF_ID = /^map-([1-9][0-9]*)$/

/** What the log knows the leaf of a map by. No account's leaf id has this form. */
export function mapLeafId(epoch: number): string {
  return `map-${epoch}`
}

/** The epoch in the id of a map's leaf; null for any other leaf. */
export function epochOfLeafId(leafId: string): number | null {
  const digits = MAP_LEAF_ID.exec(leafId)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The leaf id of a line of the log: of an update or a map; null for a line of another kind. */
export function leafIdOfEntry(line: string): string | null {
  const update = updateEntryOf(line)
  if (update) return leafIdOf(update.label, update.statementHash)
  const map = mapEntryOf(line)
  return map && mapLeafId(map.epoch)
}

const LEAF_PREFIX = 2
const NODE_PREFIX = 3
const EMPTY = /* @__PURE__ */ new Uint8Array(HASH_BYTES)
/** The root of a map without accounts. */
export const EMPTY_MAP_ROOT = /* @__PURE__ */ toHex(EMPTY)

const LABEL_BYTES = 32
const HEAD_AT = LABEL_BYTES + 4
const TIME_AT = HEAD_AT + HASH_BYTES
const AGREEMENT_AT = TIME_AT + 8
export const MAP_LEAF_BYTES = AGREEMENT_AT + HASH_BYTES

/**
 * An account as the bytes that its leaf hashes: label ‖ u32 seq ‖ head ‖ u64 issuedAt ‖ hash. Without a key agreement, the
 * last two are zero.
 */
export function mapLeafBytes({ label, seq, head, agreement }: MapAccount): Uint8Array {
  const bytes = new Uint8Array(MAP_LEAF_BYTES)
  const view = new DataView(bytes.buffer)
  bytes.set(fromHex(label))
  view.setUint32(LABEL_BYTES, seq)
  bytes.set(fromHex(head), HEAD_AT)
  if (!agreement) return bytes
  view.setBigUint64(TIME_AT, BigInt(agreement.issuedAt))
  bytes.set(fromHex(agreement.hash), AGREEMENT_AT)
  return bytes
}

export function mapAccountOf(bytes: Uint8Array): MapAccount {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const hash = toHex(bytes.subarray(AGREEMENT_AT))
  return {
    label: toHex(bytes.subarray(0, LABEL_BYTES)),
    seq: view.getUint32(LABEL_BYTES),
    head: toHex(bytes.subarray(HEAD_AT, TIME_AT)),
    // No statement has this hash.
    agreement: hash === EMPTY_MAP_ROOT ? null : { hash, issuedAt: Number(view.getBigUint64(TIME_AT)) },
  }
}

/** H(02 ‖ label ‖ u32 seq ‖ head ‖ u64 issuedAt ‖ hash). */
export function mapLeafHash(leafBytes: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + MAP_LEAF_BYTES)
  bytes[0] = LEAF_PREFIX
  bytes.set(leafBytes, 1)
  return sha3_384(bytes)
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES)
  bytes[0] = NODE_PREFIX
  bytes.set(left, 1)
  bytes.set(right, 1 + HASH_BYTES)
  return sha3_384(bytes)
}

/** A part of the map: null if it is empty. A part with one account is that account's leaf, however high it is. */
export type Subtree = { readonly hash: Uint8Array; readonly isLone: boolean } | null

/** H(03 ‖ left ‖ right), with 0⁴⁸ for an empty side. */
export function joined(left: Subtree, right: Subtree): Subtree {
  if (left === null && (right === null || right.isLone)) return right
  if (right === null && left?.isLone) return left
  return { hash: nodeHash(left?.hash ?? EMPTY, right?.hash ?? EMPTY), isLone: false }
}

/** What an account comes to after more updates: those whose number does not follow are not counted. */
export function counted(account: AccountValue, updates: readonly Omit<UpdateEntry, 'kind'>[]): AccountValue {
  return updates.reduce((value, update) => (update.seq === value.seq + 1 ? nextValue(value, update) : value), account)
}

/** No label has more bits, so no path is longer. */
const MAX_DEPTH = 8 * LABEL_BYTES

export const mapPathSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    terminal: mapAccountSchema
      .nullable()
      .meta({ description: 'The only account at the end of the path: this one, or another; null if there is none' }),
    bitmap: z
      .string()
      .regex(/^(?:[0-9a-f]{2}){0,32}$/, 'must be hex of at most 32 bytes')
      .meta({
        description: 'Which siblings are not empty, as hex: one bit per level from the root, cut after the last',
      }),
    siblingsB64u: z
      .string()
      .max(Math.ceil((MAX_DEPTH * HASH_BYTES * 4) / 3))
      .meta({ description: 'The siblings that are not empty, from the root, 48 bytes each' }),
  }),
)
export type MapPath = z.infer<typeof mapPathSchema>

/** `siblings` from the root; null for an empty one. The last one never is. */
export function mapPath(terminal: MapAccount | null, siblings: readonly (Uint8Array | null)[]): MapPath {
  const bitmap = new Uint8Array(Math.ceil(siblings.length / 8))
  const present: Uint8Array[] = []
  for (const [depth, sibling] of siblings.entries()) {
    if (!sibling) continue
    bitmap[depth >> 3]! |= 0x80 >> (depth & 7)
    present.push(sibling)
  }
  const bytes = new Uint8Array(present.length * HASH_BYTES)
  for (const [i, sibling] of present.entries()) bytes.set(sibling, i * HASH_BYTES)
  return { terminal: terminal && { ...terminal }, bitmap: toHex(bitmap), siblingsB64u: encodeBase64url(bytes) }
}

/**
 * What a map with this root says of an account, by the path of its label: its value, or that it has no updates. Null if
 * the path does not lead to the root.
 */
export function valueOnPath(label: string, path: MapPath, root: string): AccountValue | null {
  const siblings = siblingsOf(path)
  if (!siblings) return null
  const { terminal } = path
  const bits = fromHex(label)
  if (terminal && commonBits(bits, fromHex(terminal.label)) < siblings.length) return null
  let hash = terminal ? mapLeafHash(mapLeafBytes(terminal)) : EMPTY
  for (let depth = siblings.length - 1; depth >= 0; depth--) {
    const sibling = siblings[depth] ?? EMPTY
    hash = bitAt(bits, depth) === 1 ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
  }
  if (toHex(hash) !== root) return null
  return valueFor(label, terminal)
}

/** What the account at the end of a path says about the label of the path. */
export function valueFor(label: string, terminal: MapAccount | null): AccountValue {
  if (terminal?.label !== label) return EMPTY_VALUE
  const { seq, head, agreement } = terminal
  return { seq, head, agreement }
}

/** One per level; null if bitmap and siblings do not fit each other, so that a path has one form. */
function siblingsOf({ bitmap: bitmapHex, siblingsB64u }: MapPath): (Uint8Array | null)[] | null {
  const bitmap = fromHex(bitmapHex)
  const bytes = decodeBase64url(siblingsB64u)
  if (!bytes || bitmap.at(-1) === 0) return null
  const siblings: (Uint8Array | null)[] = []
  let [at, depth] = [0, 0]
  for (let level = 0; level < 8 * bitmap.length; level++) {
    const isThere = bitAt(bitmap, level) === 1
    siblings.push(isThere ? bytes.subarray(at, at + HASH_BYTES) : null)
    if (!isThere) continue
    at += HASH_BYTES
    depth = level + 1
  }
  return at === bytes.length ? siblings.slice(0, depth) : null
}

export function bitAt(bytes: Uint8Array, index: number): 0 | 1 {
  return (((bytes[index >> 3] ?? 0) >> (7 - (index & 7))) & 1) as 0 | 1
}

function commonBits(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < MAX_DEPTH; i++) if (bitAt(a, i) !== bitAt(b, i)) return i
  return MAX_DEPTH
}
