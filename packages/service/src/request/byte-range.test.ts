import { describe, expect, it } from 'vitest'
import { readRange } from './byte-range.ts'

describe('readRange', () => {
  it.each<[string | undefined, number, { start: number; end: number } | null | 'unsatisfiable']>([
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=2-5', 10, { start: 2, end: 6 }],
    ['bytes=2-', 10, { start: 2, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-30', 10, { start: 0, end: 10 }],
    ['bytes=9-999', 10, { start: 9, end: 10 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, 'unsatisfiable'],
    ['bytes=5-2', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['bytes= 0-1', 10, null],
    ['Bytes=0-1', 10, { start: 0, end: 2 }],
    ['bytes=0-1000000000000000', 10, null],
    ['bytes=-', 10, null],
    ['', 10, null],
    [undefined, 10, null],
  ])('reads %j of %i bytes', (header, bytes, expected) => {
    const range = readRange(header, bytes)
    expect(range.ok ? range.value : range.error).toEqual(expected)
  })
})
