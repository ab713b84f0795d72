import { scrypt } from '@noble/hashes/scrypt.js'
import { describe, expect, it } from 'vitest'
import { secretOf } from './secret.ts'

/** The vector of the page on sign-in: one password, as three keyboards type it. */
const TYPED = [
  'Cr\u00e8me f\u00fcr \u304c\u3093, fin 12',
  'Cre\u0300me fu\u0308r \u304b\u3099\u3093, fin 12',
  'Cr\u00e8me\u00a0f\u00fcr \u304c\u3093, \ufb01n \uff11\uff12',
]
const UTF8 = '4372c3a86d652066c3bc7220e3818ce382932c2066696e203132'
const SALT = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const SCRYPT = 'fcb45019e0fbaed417f19db331a6b5a955a81611a5bfcb22b3aefd62825b723d'

describe('a secret', () => {
  it.each(TYPED)('is the same for every form of one password: %j', (typed) => {
    const secret = Buffer.from(secretOf(typed))
    expect(secret.toString('hex')).toBe(UTF8)
    const derived = scrypt(secret, SALT, { N: 131_072, r: 8, p: 1, dkLen: 32 })
    expect(Buffer.from(derived).toString('hex')).toBe(SCRYPT)
  })

  it('keeps what tells passwords apart: case, white space at the ends, and letters of another script', () => {
    const typed = ['password', 'Password', ' password', 'password ', 'p\u0430ssword']
    expect(new Set(typed.map(secretOf)).size).toBe(typed.length)
  })

  it('of a secret is that secret', () => {
    for (const typed of TYPED) expect(secretOf(secretOf(typed))).toBe(secretOf(typed))
  })
})
