import { describe, expect, it } from 'vitest'
import { HOUR, malformed, NOW, refused, SKEW, verdict } from './assertion.fixture.ts'
import { GENERAL_NONCE } from './verify.ts'

const expired = refused({ reason: 'expired' })
const early = refused({ reason: 'not_yet_valid' })
const long = refused({ reason: 'too_long' })
const between = (issuedAt: number, expiresAt: number) => verdict({ issuedAt, expiresAt })

describe('times', () => {
  it('may be in the future by up to the skew', async () => {
    expect((await between(NOW + SKEW, NOW + SKEW + 1)).ok).toBe(true)
    expect(await between(NOW + SKEW + 1, NOW + SKEW + 2)).toEqual(early)
  })

  it('may have expired by less than the skew', async () => {
    expect((await between(NOW - HOUR, NOW - SKEW + 1)).ok).toBe(true)
    expect(await between(NOW - HOUR, NOW - SKEW)).toEqual(expired)
    expect(await between(NOW - HOUR, NOW - SKEW - 1)).toEqual(expired)
  })

  it('are exact without skew', async () => {
    const policy = { skewMs: 0 }
    expect((await verdict({ issuedAt: NOW, expiresAt: NOW + 1 }, { policy })).ok).toBe(true)
    expect(await verdict({ issuedAt: NOW + 1, expiresAt: NOW + 2 }, { policy })).toEqual(early)
    expect(await verdict({ issuedAt: NOW - 1, expiresAt: NOW }, { policy })).toEqual(expired)
  })

  it('are at most one hour apart', async () => {
    expect((await between(NOW, NOW + HOUR)).ok).toBe(true)
    expect(await between(NOW, NOW + HOUR + 1)).toEqual(long)
    expect(await between(NOW - 2 * HOUR, NOW + 1)).toEqual(long)
  })

  it('must be in order', async () => {
    expect((await between(NOW, NOW + 1)).ok).toBe(true)
    expect(await between(NOW, NOW)).toEqual(malformed('expiresAt'))
    expect(await between(NOW, NOW - 1)).toEqual(malformed('expiresAt'))
  })

  it('cannot be stretched by huge or negative numbers', async () => {
    const max = Number.MAX_SAFE_INTEGER
    expect(await between(-max, max)).toEqual(long)
    expect(await between(max - 1, max)).toEqual(early)
    expect(await between(-max, -max + 1)).toEqual(expired)
  })

  it('keep the nonce until expiry plus skew, when the assertion stops being accepted', async () => {
    const verified = await verdict({ issuedAt: NOW, expiresAt: NOW + 5 })
    expect(verified).toMatchObject({ value: { keepUntil: NOW + 5 + SKEW } })
    const members = { issuedAt: NOW, expiresAt: NOW + 5 }
    expect((await verdict(members, { now: NOW + 5 + SKEW - 1 })).ok).toBe(true)
    expect(await verdict(members, { now: NOW + 5 + SKEW })).toEqual(expired)
  })
})

describe('nonces', () => {
  const form = refused({ reason: 'nonce_form' })

  it.each(['!', '~', 'n'.repeat(256), '"\\/{}', '0'])('may be %j', async (nonce) => {
    expect(await verdict({ nonce })).toMatchObject({ ok: true, value: { nonce } })
  })

  it.each([
    '',
    'n'.repeat(257),
    ' ',
    'a b',
    ' a',
    'a ',
    'a\n',
    '\n',
    'a\0',
    'a\tb',
    '\u007f',
    '\u0080',
    'é',
    '😀',
    'ａ',
    '\ud800',
    null,
    5,
    undefined,
    ['n'],
    { toString: 'n' },
  ])('may not be %j', async (nonce) => {
    expect(await verdict({ nonce })).toEqual(form)
  })

  it('follow the rule of the route, if any', async () => {
    const policy = { noncePattern: /^[A-Za-z0-9._~-]{16,64}$/ }
    expect((await verdict({ nonce: 'n'.repeat(16) }, { policy })).ok).toBe(true)
    expect((await verdict({ nonce: '._~-'.repeat(16) }, { policy })).ok).toBe(true)
    for (const nonce of ['n'.repeat(15), 'n'.repeat(65), `${'n'.repeat(16)}!`]) {
      expect(await verdict({ nonce }, { policy })).toEqual(form)
    }
  })

  it('have a general rule without state between calls', () => {
    expect([GENERAL_NONCE.test('n'), GENERAL_NONCE.test('n'), GENERAL_NONCE.test('n')]).toEqual([true, true, true])
  })
})
