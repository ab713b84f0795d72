import { encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { type Form, hasFewFields } from './protobuf-fields.ts'

const FORM: Form = { 1: 'bytes', 2: 'number' }
const has = (bytes: readonly number[], most = 9) => hasFewFields(Uint8Array.from(bytes), FORM, most)

describe('the fields of a message', () => {
  it.each<[string, number[]]>([
    ['none', []],
    ['bytes', [0x0a, 2, 7, 7]],
    ['no bytes', [0x0a, 0]],
    ['a number', [0x10, 5]],
    ['a number of ten bytes', [0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ['a tag that is longer than it must be', [0x90, 0, 5]],
  ])('are known: %s', (_, bytes) => {
    expect(has(bytes)).toBe(true)
  })

  it.each<[string, number[]]>([
    ['another field', [0x1a, 0]],
    ['a number where bytes belong', [0x08, 5]],
    ['bytes where a number belongs', [0x12, 0]],
    ['eight bytes', [0x09, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['a field without its number', [0x10]],
    ['a number without an end', [0x10, 255]],
    ['a number of eleven bytes', [0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ['a length beyond the end', [0x0a, 3, 7, 7]],
    ['a length far beyond the end', [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
  ])('are not known: %s', (_, bytes) => {
    expect(has(bytes)).toBe(false)
  })

  it('are counted', () => {
    const three = [0x10, 5, 0x0a, 0, 0x10, 5]
    expect(has(three, 3)).toBe(true)
    expect(has(three, 2)).toBe(false)
  })

  it('of what IPFS programs write are those that its decoders know', () => {
    const file = new UnixFS({ type: 'file', blockSizes: [1n, 300n], mode: 0o644, mtime: { secs: 1n, nsecs: 2 } })
    const sizes: Form = { 1: 'number', 2: 'bytes', 3: 'number', 4: 'number', 7: 'number', 8: 'bytes' }
    expect(hasFewFields(file.marshal(), sizes, 6)).toBe(true)
    const Hash = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
    const node = encode(prepare({ Data: file.marshal(), Links: [{ Name: '', Hash, Tsize: 1 }] }))
    expect(hasFewFields(node, { 1: 'bytes', 2: 'bytes' }, 2)).toBe(true)
  })
})
