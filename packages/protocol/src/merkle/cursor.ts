/**
 * Cursors of pages. Opaque to clients, so that a page can later continue in another log or store. A cursor belongs to
 * one list: it carries a hash over the list, so that one of another list, or a changed one, is rejected instead of
 * skipping items. The hash needs no key, because a cursor gives access to nothing.
 *
 * @module
 */
import * as z from 'zod'
import { decodeBase64url, encodeBase64url } from '../base/base64url.ts'
import { fromHex, hashHex } from '../base/hash.ts'
import { type Json, jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'

export const cursorSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, 'must be a cursor')
    .meta({ id: 'Cursor', description: 'Opaque: `cursor` of the previous page of the same list' }),
)

/** 72 bits tell a cursor that was damaged or mixed up from a good one, and keep its text short. */
const CHECK_BYTES = 9

/** Where the next page starts: after an index, an id or both. */
export type CursorPlace = number | string | readonly (number | string)[]

/** `list` identifies the list and its order: for a list over a log, include the log's name. */
export function encodeCursor(list: Json, place: CursorPlace): string {
  const bytes = jcsBytes(place)
  const check = checkOf(list, place)
  const out = new Uint8Array(check.length + bytes.length)
  out.set(check)
  out.set(bytes, check.length)
  return encodeBase64url(out)
}

/** The place of a cursor that `encodeCursor` made for this list; null for every other text. */
export function decodeCursor(list: Json, cursor: string): CursorPlace | null {
  try {
    const bytes = decodeBase64url(cursor)
    if (!bytes) return null
    const place = placeSchema.parse(JSON.parse(new TextDecoder().decode(bytes.subarray(CHECK_BYTES))))
    return encodeCursor(list, place) === cursor ? place : null
  } catch {
    return null
  }
}

const part = /* @__PURE__ */ pure(() => z.union([z.number(), z.string()]))
const placeSchema = /* @__PURE__ */ pure(() => z.union([part, z.array(part)]))

function checkOf(list: Json, place: CursorPlace): Uint8Array {
  return fromHex(hashHex(jcsBytes({ type: 'svc/cursor/v1', list, place }))).subarray(0, CHECK_BYTES)
}
