import type { Json } from '@svc/protocol/base/jcs'
import { decodeCursor } from '@svc/protocol/merkle/cursor'

/** The number in a cursor of this list, or what a list starts with; null for any other cursor. */
export function placeOf(list: Json, cursor: string | undefined, start: number): number | null {
  if (cursor === undefined) return start
  const place = decodeCursor(list, cursor)
  return typeof place === 'number' ? place : null
}
