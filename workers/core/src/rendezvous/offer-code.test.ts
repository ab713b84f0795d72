import { codeSchema } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { OfferCodes } from './offer-code.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const [ONE, ANOTHER] = ['1c'.repeat(32), '2c'.repeat(32)]
const codes = new OfferCodes(new Map([[1, ONE]]))
const minted = async (from = codes) => {
  const code = await from.mint('pairing')
  if (code === null) throw new Error('no code')
  return code
}
/** A code with one character replaced by the next one of the alphabet. */
function changed(code: string, position: number): string {
  const next = ALPHABET[(ALPHABET.indexOf(code.charAt(position)) + 1) % ALPHABET.length]
  return code.slice(0, position) + next + code.slice(position + 1)
}

describe('OfferCodes', () => {
  it('mints unique codes of the documented form and accepts them', async () => {
    const many = await Promise.all(Array.from({ length: 200 }, () => minted()))
    expect(new Set(many).size).toBe(200)
    for (const code of many) {
      expect(codeSchema.parse(code)).toBe(code)
      expect(await codes.isOurs('pairing', code)).toBe(true)
    }
  })

  it('uses every character of the alphabet', async () => {
    const many = await Promise.all(Array.from({ length: 200 }, () => minted()))
    expect(new Set(many.join('').replaceAll('-', ''))).toEqual(new Set(ALPHABET))
  })

  it('rejects codes of the other flow', async () => {
    const [pairing, authorization] = [await codes.mint('pairing'), await codes.mint('authorization')]
    expect(await codes.isOurs('authorization', pairing ?? '')).toBe(false)
    expect(await codes.isOurs('pairing', authorization ?? '')).toBe(false)
    expect(await codes.isOurs('authorization', authorization ?? '')).toBe(true)
  })

  it('rejects a code with any character changed', async () => {
    const code = await minted()
    for (const position of [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13]) {
      expect(await codes.isOurs('pairing', changed(code, position)), String(position)).toBe(false)
    }
  })

  it.each(['', '-', 'AAAA', 'AAAA-AAAA-AAAA', '0000-0000-0000', '7Q3K-9ZXN-0V4T', 'Z'.repeat(1000), 'é'])(
    'knows no made-up code: %j',
    async (code) => {
      expect(await codes.isOurs('pairing', code)).toBe(false)
      expect(await codes.isOurs('authorization', code)).toBe(false)
    },
  )

  it('rejects a code that was shortened or extended', async () => {
    const code = await minted()
    for (const other of [`${code}0`, code.slice(0, -1), `0${code}`, code.slice(1), code.toLowerCase()]) {
      expect(await codes.isOurs('pairing', other), other).toBe(false)
    }
  })

  it('rejects codes of another seed, and accepts its own in another isolate', async () => {
    const code = await minted()
    expect(await new OfferCodes(new Map([[1, ANOTHER]])).isOurs('pairing', code)).toBe(false)
    expect(await new OfferCodes(new Map([[1, ONE]])).isOurs('pairing', code)).toBe(true)
  })

  it('accepts codes of an earlier version while that is configured, and mints none', async () => {
    const code = await minted()
    const changing = new OfferCodes(
      new Map([
        [1, ONE],
        [2, ANOTHER],
      ]),
    )
    expect(await changing.isOurs('pairing', code)).toBe(true)
    expect(await changing.isOurs('authorization', code)).toBe(false)
    expect(await codes.isOurs('pairing', (await changing.mint('pairing')) ?? '')).toBe(false)
  })

  it('mints and accepts nothing without a seed', async () => {
    const none = new OfferCodes(new Map())
    expect(await none.mint('pairing')).toBeNull()
    expect(await none.mint('authorization')).toBeNull()
    expect(await none.isOurs('pairing', await minted())).toBe(false)
    expect(await none.isOurs('pairing', '')).toBe(false)
  })
})
