import { describe, expect, it } from 'vitest'
import { hashTextHex } from '../base/hash.ts'
import { activationCodeHash, redeemSchema } from './licences.ts'

const DID = 'did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh'

describe('an activation code', () => {
  it('is hashed without its hyphens', () => {
    expect(activationCodeHash('7Q3K-9ZXN-0V4T-2B8D')).toBe(hashTextHex('7Q3K9ZXN0V4T2B8D'))
    expect(activationCodeHash('7Q3K-9ZXN-0V4T-2B8D')).not.toBe(activationCodeHash('7Q3K-9ZXN-0V4T-2B8E'))
  })

  it.each([
    ['7Q3K-9ZXN-0V4T-2B8D', true],
    ['0000-0000-0000-0000', true],
    ['7q3k-9zxn-0v4t-2b8d', false],
    ['7Q3K9ZXN0V4T2B8D', false],
    ['7Q3K-9ZXN-0V4T', false],
    ['7Q3K-9ZXN-0V4T-2B8D-0000', false],
    ['7Q3K-9ZXN-0V4T-2B8I', false],
    ['7Q3K-9ZXN-0V4T-2B8L', false],
    ['7Q3K-9ZXN-0V4T-2B8O', false],
    ['7Q3K-9ZXN-0V4T-2B8U', false],
    ['7Q3K-9ZXN-0V4T-2B8D\n', false],
    [' 7Q3K-9ZXN-0V4T-2B8D', false],
  ])('%j is valid: %s', (code, isCode) => {
    expect(redeemSchema.safeParse({ code, did: DID }).success).toBe(isCode)
  })
})
