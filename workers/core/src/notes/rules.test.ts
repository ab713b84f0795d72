import { describe, expect, it } from 'vitest'
import { checkOrder, checkPlace, GRACE_MS, hasRoom, isCollectable, MAX_UPLOAD_MS, pageLimit } from './rules.ts'

const NO = (reason: string) => ({ reason })

describe('checkOrder', () => {
  it.each([
    [null, 'create', null],
    [null, 'update', NO('not_found')],
    [null, 'attach', NO('not_found')],
    ['stored', 'create', NO('note_exists')],
    ['stored', 'update', null],
    ['stored', 'attach', null],
    ['tombstoned', 'create', NO('note_tombstoned')],
    ['tombstoned', 'update', NO('note_tombstoned')],
    ['tombstoned', 'attach', NO('note_tombstoned')],
  ] as const)('of a note that is %s, %s gives %j', (status, operation, expected) => {
    expect(checkOrder(status, operation)).toEqual(expected)
  })
})

describe('checkPlace', () => {
  const at = (sequence: number) => ({ inception: { sequence, hash: 'a7'.repeat(48) } })

  it('refuses a version that names an older event than the one it follows', () => {
    expect(checkPlace(at(1), at(2))).toEqual({ reason: 'older_event', inception: at(2).inception })
    expect(checkPlace({ inception: null }, at(0))).toEqual({ reason: 'older_event', inception: at(0).inception })
  })

  it('takes one that names the same event, a newer one, or follows nothing', () => {
    for (const base of [at(2), at(1), { inception: null }, null]) expect(checkPlace(at(2), base)).toBeNull()
    expect(checkPlace({ inception: null }, null)).toBeNull()
  })
})

describe('hasRoom', () => {
  it('fills a vault to the last byte', () => {
    const usage = { bytes: 900, objects: 1, refs: 1 }
    expect(hasRoom(usage, 100, { quotaBytes: 1_000 })).toBe(true)
    expect(hasRoom(usage, 101, { quotaBytes: 1_000 })).toBe(false)
  })

  it('counts versions and attachments, even those that add no bytes', () => {
    expect(hasRoom({ bytes: 0, objects: 1, refs: 199_999 }, 0, { quotaBytes: 1 })).toBe(true)
    expect(hasRoom({ bytes: 0, objects: 1, refs: 200_000 }, 0, { quotaBytes: 1 })).toBe(false)
  })
})

describe('isCollectable', () => {
  it('waits a day', () => {
    expect(isCollectable(1_000, 86_400_999)).toBe(false)
    expect(isCollectable(1_000, 86_401_000)).toBe(true)
  })
  it('waits longer than any upload takes', () => {
    expect([MAX_UPLOAD_MS, GRACE_MS]).toEqual([3_600_000, 86_400_000])
  })
})

describe('pageLimit', () => {
  it.each([
    [-1, 1],
    [0, 1],
    [1, 1],
    [49, 49],
    [50, 50],
    [51, 50],
  ])('gives for %i items %i of at most 50', (asked, given) => {
    expect(pageLimit(asked, 50)).toBe(given)
  })
})
