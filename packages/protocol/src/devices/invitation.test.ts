import { describe, expect, it } from 'vitest'
import { CROCKFORD, grouped } from './crockford.ts'
import { invitationText, newSecret, readInvitation } from './invitation.ts'

const INVITATION = { code: '7Q3K-9ZXN-0V4T', secret: '0123456789ABCDEFGHJKMNPQRS' }
const TEXT = '7Q3K-9ZXN-0V4T-0123-4567-89AB-CDEF-GHJK-MNPQ-RSS8'
const CHARS = TEXT.replaceAll('-', '')
const read = { ok: true, value: INVITATION }
const typingError = { ok: false, error: { reason: 'typing_error' } }
const withAt = (at: number, char: string) => CHARS.slice(0, at) + char + CHARS.slice(at + 1)

describe('an invitation', () => {
  it('is code, secret and checksum, as another implementation computes', () => {
    expect(invitationText(INVITATION)).toBe(TEXT)
    expect(readInvitation(TEXT)).toEqual(read)
  })

  it('has a fresh secret of 130 bits', () => {
    const secrets = Array.from({ length: 200 }, newSecret)
    expect(new Set(secrets).size).toBe(200)
    for (const secret of secrets) expect(secret).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    // Every character of every place: the last one too has five random bits.
    for (let at = 0; at < 26; at++) expect(new Set(secrets.map((secret) => secret[at])).size).toBeGreaterThan(20)
  })

  it.each([
    ['in lower case', TEXT.toLowerCase()],
    ['without hyphens', CHARS],
    ['with spaces and lines', ` ${TEXT.replaceAll('-', ' \n')}\n`],
    ['with look-alikes', TEXT.replaceAll('0', 'o').replaceAll('1', 'l')],
    ['at the end of an address', `https://console.example/pair#${TEXT}`],
  ])('is read %s', (_, given) => {
    expect(readInvitation(given)).toEqual(read)
  })

  it.each([
    ['empty', '', { reason: 'wrong_length', chars: 0 }],
    ['a group short', TEXT.slice(0, -5), { reason: 'wrong_length', chars: 36 }],
    ['a character too long', `${TEXT}0`, { reason: 'wrong_length', chars: 41 }],
    ['the code of an offer alone', '7Q3K-9ZXN-0V4T', { reason: 'wrong_length', chars: 12 }],
    ['with a letter of no invitation', TEXT.replace('89AB', '89UB'), { reason: 'foreign_character', group: 6 }],
    ['with a path in it', TEXT.replace('7Q3K', '../.'), { reason: 'foreign_character', group: 1 }],
    ['in other digits', TEXT.replace('7', '７'), { reason: 'foreign_character', group: 1 }],
  ])('that is %s is refused by what is wrong with it', (_, given, error) => {
    expect(readInvitation(given)).toEqual({ ok: false, error })
  })

  it('names every single wrong character as a typing error', () => {
    for (let at = 0; at < CHARS.length; at++)
      for (const char of CROCKFORD)
        if (char !== CHARS[at]) expect(readInvitation(withAt(at, char)), `${at} ${char}`).toEqual(typingError)
  })

  it('names every swap of two characters as a typing error', () => {
    for (let a = 0; a < CHARS.length; a++)
      for (let b = a + 1; b < CHARS.length; b++) {
        const [first = '', second = ''] = [CHARS[a], CHARS[b]]
        if (first === second) continue
        const swapped = CHARS.slice(0, a) + second + CHARS.slice(a + 1, b) + first + CHARS.slice(b + 1)
        expect(readInvitation(grouped(swapped)), `${a} ${b}`).toEqual(typingError)
      }
  })
})
