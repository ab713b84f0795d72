import { describe, expect, it } from 'vitest'
import { hashTextHex } from '../base/hash.ts'
import { codeHash, issuedCodePattern, typedCodeSchema } from './codes.ts'

const CODE = '7Q3K-9ZXN-0V4T-1B8D'

describe('a code', () => {
  it('is hashed by one rule', () => {
    expect(codeHash(CODE)).toBe(hashTextHex('svc/code/v1:7Q3K9ZXN0V4T1B8D'))
    expect(codeHash(CODE)).not.toBe(codeHash('7Q3K-9ZXN-0V4T-1B8E'))
  })

  it.each([
    '7q3k-9zxn-0v4t-1b8d',
    '7Q3K9ZXN0V4T1B8D',
    '7Q3K 9ZXN 0V4T 1B8D',
    ' 7q3k9zxn-0V4T 1b8d ',
    '7Q3K-9ZXN-OV4T-IB8D',
    '7q3k-9zxn-ov4t-lb8d',
  ])('is the same when it is typed %j', (typed) => {
    expect(typedCodeSchema.safeParse(typed).success).toBe(true)
    expect(codeHash(typed)).toBe(codeHash(CODE))
  })

  it.each([
    '',
    '7Q3K-9ZXN-0V4T',
    '7Q3K-9ZXN-0V4T-1B8D-0000',
    '7Q3K-9ZXN-0V4T-1B8U',
    '7Q3K-9ZXN-0V4T-1B8\u212a',
    `${CODE}\n`,
    '7Q3K_9ZXN_0V4T_1B8D',
    `${CODE}${' '.repeat(60)}`,
  ])('is not %j', (typed) => {
    expect(typedCodeSchema.safeParse(typed).success).toBe(false)
  })

  it('is issued in one form', () => {
    expect(issuedCodePattern.test(CODE)).toBe(true)
    expect(issuedCodePattern.test(CODE.toLowerCase())).toBe(false)
  })
})
