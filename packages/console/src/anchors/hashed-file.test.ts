import { expect, it } from 'vitest'
import { epochOf, hashedFile } from './hashed-file.ts'

it.each([
  ['report.pdf', 'report.pdf'],
  ['  Rechnung Mai (2).pdf ', 'Rechnung-Mai-2-.pdf'],
  ['', '-'],
  ['写真.jpg', '-.jpg'],
  ['a'.repeat(80), 'a'.repeat(64)],
])('%j is labelled %s', (name, label) => {
  expect(epochOf(name)).toBe(label)
})

it('the hash of a file is the SHA3-384 of its bytes', async () => {
  expect(await hashedFile(new File(['abc'], 'abc.txt'))).toEqual({
    name: 'abc.txt',
    hash: 'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25',
  })
})
