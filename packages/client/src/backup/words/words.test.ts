import { describe, expect, it } from 'vitest'
import { seedOf, wordsOf } from '../../recovery-words.ts'

const bytesOf = (hex: string) => new Uint8Array(hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [])

/** The vectors with 256 bits of https://github.com/trezor/python-mnemonic/blob/master/vectors.json */
const TREZOR: readonly (readonly [string, string])[] = [
  ['00'.repeat(32), `${'abandon '.repeat(23)}art`],
  [
    '7f'.repeat(32),
    'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner ' +
      'thank year wave sausage worth title',
  ],
  [
    '80'.repeat(32),
    'letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid ' +
      'letter advice cage absurd amount doctor acoustic bless',
  ],
  ['ff'.repeat(32), `${'zoo '.repeat(23)}vote`],
  [
    '68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c',
    'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple ' +
      'dilemma loan word shrug inflict delay length',
  ],
  [
    '9f6a2878b2520799a44ef18bc7df394e7061a224d2c33cd015b157d746869863',
    'panda eyebrow bullet gorilla call smoke muffin taste mesh discover soft ostrich alcohol speed nation flash devote ' +
      'level hobby quick inner drive ghost inside',
  ],
  [
    '066dca1a2bb7e8a1db2832148ce9933eea0f3ac9548d793112d9a95c9407efad',
    'all hour make first leader extend hole alien behind guard gospel lava path output census museum junior mass reopen ' +
      'famous sing advance salt reform',
  ],
  [
    'f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f',
    'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space ' +
      'point ten exist slush involve unfold',
  ],
]

describe('recovery words', () => {
  it.each(TREZOR)('are those of BIP-39: %s', (hex, words) => {
    expect(wordsOf(bytesOf(hex))).toBe(words)
    expect(seedOf(words)).toEqual(bytesOf(hex))
  })

  it('of 64 bytes are two groups', () => {
    const seed = Uint8Array.from({ length: 64 }, (_, at) => at)
    const words = wordsOf(seed)
    expect(words.split(' ').length).toBe(48)
    expect(seedOf(words, 64)).toEqual(seed)
    expect(wordsOf(seed.slice(0, 32))).toBe(words.split(' ').slice(0, 24).join(' '))
  })

  it('are read in any case and with any white space', () => {
    const [hex, words] = TREZOR[4]!
    expect(seedOf(`  ${words.toUpperCase().replaceAll(' ', '\n \t')} `)).toEqual(bytesOf(hex))
  })

  it.each([0, 16, 31, 33])('are not made of %i bytes', (length) => {
    expect(() => wordsOf(new Uint8Array(length))).toThrow(TypeError)
  })
})

describe('recovery words that were written down wrongly', () => {
  const words = TREZOR[4]![1].split(' ')
  const errorOf = (text: string, bytes?: 32 | 64) => {
    try {
      seedOf(text, bytes)
    } catch (error) {
      return error
    }
    throw new Error('they were taken')
  }

  it('are refused by their number', () => {
    for (const wrong of ['', words.slice(1).join(' '), [...words, 'zoo'].join(' '), words.slice(12).join(' ')])
      expect(errorOf(wrong)).toMatchObject({ name: 'RecoveryWordsError', reason: 'wrong_count', position: null })
    expect(errorOf(words.join(' '), 64)).toMatchObject({ reason: 'wrong_count' })
  })

  it('are refused by the position of a word that is not on the list, and the error does not show it', () => {
    const error = errorOf(words.with(6, 'privatz').join(' '))
    expect(error).toMatchObject({ reason: 'unknown_word', position: 7 })
    expect((error as Error).message).not.toContain('privatz')
  })

  it('are refused by their checksum', () => {
    expect(errorOf(words.with(0, 'zoo').join(' '))).toMatchObject({ reason: 'wrong_checksum' })
    expect(errorOf(words.with(0, words[1]!).with(1, words[0]!).join(' '))).toMatchObject({ reason: 'wrong_checksum' })
    const twice = [...words, ...words.with(23, 'zoo')].join(' ')
    expect(errorOf(twice, 64)).toMatchObject({ reason: 'wrong_checksum' })
  })
})
