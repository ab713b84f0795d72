import { describe, expect, it } from 'vitest'
import { checkOrder, hasRoom, isCollectable } from './rules.ts'

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
})
