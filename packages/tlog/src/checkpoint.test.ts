import { base64 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { checkpointText, parseCheckpoint, parseSize } from './checkpoint.ts'
import { SHA256_TREE } from './tree.ts'
import { GO_TREE } from './vectors.fixture.ts'

describe('checkpoints', () => {
  it('are read and written as golang.org/x/mod does', () => {
    const root = SHA256_TREE.leafHash(new TextEncoder().encode('hello world'))
    const head = { origin: 'go.sum database tree', size: 123_456_789_012, root }
    expect(parseCheckpoint(GO_TREE)).toEqual({ ...head, extensions: [] })
    expect(checkpointText(head)).toBe(GO_TREE)
    expect(parseCheckpoint(`${GO_TREE}one\ntwo\n`)?.extensions).toEqual(['one', 'two'])
  })

  it.each([
    ['hexadecimal size', GO_TREE.replace('123456789012', '0xabcdef')],
    ['size with a leading zero', GO_TREE.replace('123456789012', '0123')],
    ['negative size', GO_TREE.replace('123456789012', '-1')],
    ['size beyond 2^53', GO_TREE.replace('123456789012', '9007199254740992')],
    ['root of 33 bytes', GO_TREE.replace(/T.*=/, base64.encode(new Uint8Array(33)))],
    ['root without padding', GO_TREE.replace('=', '')],
    ['no origin', GO_TREE.replace(/^.*/, '')],
    ['empty extension line', `${GO_TREE}\n`],
    ['no final newline', GO_TREE.slice(0, -1)],
    ['two lines', 'origin\n1\n'],
  ])('with %s are none', (_, text) => {
    expect(text).not.toBe(GO_TREE)
    expect(parseCheckpoint(text)).toBeNull()
  })

  it('have sizes up to 2^53', () => {
    expect(['0', '1', '9007199254740991'].map(parseSize)).toEqual([0, 1, 9_007_199_254_740_991])
    expect(['', '00', '1 ', '1e3', '9007199254740993'].map(parseSize)).toEqual([null, null, null, null, null])
  })
})
