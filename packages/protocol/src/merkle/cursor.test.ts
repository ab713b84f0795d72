import { describe, expect, it } from 'vitest'
import { cursorSchema, decodeCursor, encodeCursor } from './cursor.ts'

const LIST = ['anchors', 'https://core.test/anchors/2027a']

describe('cursors', () => {
  it.each([[0], [7], [Number.MAX_SAFE_INTEGER], ['did:svc:x'], [[12, 'id']]])('returns the place %j', (place) => {
    const cursor = encodeCursor(LIST, place)
    expect(cursorSchema.safeParse(cursor).success).toBe(true)
    expect(decodeCursor(LIST, cursor)).toEqual(place)
  })

  it('refuses a cursor of another log or list', () => {
    const cursor = encodeCursor(LIST, 7)
    expect(decodeCursor(['anchors', 'https://core.test/anchors/2027b'], cursor)).toBeNull()
    expect(decodeCursor('anchors', cursor)).toBeNull()
  })

  it('refuses every changed character', () => {
    const cursor = encodeCursor(LIST, 7)
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor[i] === 'A' ? 'B' : 'A'
      expect(decodeCursor(LIST, cursor.slice(0, i) + other + cursor.slice(i + 1)), String(i)).toBeNull()
    }
  })

  it.each(['', '7', 'x', '!', 'e30', `${encodeCursor(LIST, 7)}A`, encodeCursor(LIST, 7).slice(0, -1)])(
    'refuses %j',
    (text) => {
      expect(decodeCursor(LIST, text)).toBeNull()
    },
  )
})
