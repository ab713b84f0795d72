import { expect, it } from 'vitest'
import { otherHash } from './other-hashes.ts'

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

it.each([
  [sha256, 'This looks like SHA-256; files are known by their SHA3-384'],
  [`sha256:${sha256}`, 'This looks like SHA256; '],
  [`sha384:${'ab'.repeat(48)}`, 'This looks like SHA384; '],
  ['ab'.repeat(64), 'This looks like SHA-512; '],
  [`SHA3-384:${'AB'.repeat(48)}`, 'A hash is 96 lower-case hex characters'],
  ['AB'.repeat(48), 'A hash is 96 lower-case hex characters'],
])('%s', (text, message) => {
  expect(otherHash(text)?.message).toContain(message)
})

it.each(['report.pdf', 'abc', `${sha256}.txt`])('%s is not a hash', (text) => {
  expect(otherHash(text)).toBeNull()
})
