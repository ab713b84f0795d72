import { describe, expect, it } from 'vitest'
import { seedOf, type WordsKind, wordsOf } from '../../recovery-words.ts'

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

  it('are read in any case and with any white space', () => {
    const [hex, words] = TREZOR[4]!
    expect(seedOf(`  ${words.toUpperCase().replaceAll(' ', '\n \t')} `)).toEqual(bytesOf(hex))
  })

  it.each([0, 16, 31, 33, 64])('are not made of %i bytes', (length) => {
    expect(() => wordsOf(new Uint8Array(length))).toThrow(TypeError)
  })
})

describe('recovery words that were written down wrongly', () => {
  const words = TREZOR[4]![1].split(' ')
  const errorOf = (text: string, kind?: WordsKind) => {
    try {
      seedOf(text, kind)
    } catch (error) {
      return error
    }
    throw new Error('they were taken')
  }

  it('are refused by their number', () => {
    for (const wrong of ['', words.slice(1).join(' '), [...words, 'zoo'].join(' '), words.slice(12).join(' ')])
      expect(errorOf(wrong)).toMatchObject({ name: 'RecoveryWordsError', reason: 'wrong_count', position: null })
  })

  it('are refused by the position of a word that is not on the list, and the error does not show it', () => {
    const error = errorOf(words.with(6, 'privatz').join(' '))
    expect(error).toMatchObject({ reason: 'unknown_word', position: 7 })
    expect((error as Error).message).not.toContain('privatz')
  })

  it('are refused by their checksum', () => {
    expect(errorOf(words.with(0, 'zoo').join(' '))).toMatchObject({ reason: 'wrong_checksum' })
    expect(errorOf(words.with(0, words[1]!).with(1, words[0]!).join(' '))).toMatchObject({ reason: 'wrong_checksum' })
  })
})

describe('words of different kinds', () => {
  const seed = bytesOf(TREZOR[5]![0])
  const KINDS = ['signing', 'kem', 'sheet'] as const

  it('differ only in the last word, and are read as their own kind', () => {
    const all = KINDS.map((kind) => wordsOf(seed, kind).split(' '))
    expect(new Set(all.map((words) => words.slice(0, -1).join(' '))).size).toBe(1)
    expect(new Set(all.map((words) => words.at(-1))).size).toBe(3)
    for (const kind of KINDS) expect(seedOf(wordsOf(seed, kind), kind)).toEqual(seed)
  })

  it.each(KINDS.flatMap((kind) => KINDS.filter((as) => as !== kind).map((as) => [kind, as] as const)))(
    'are recognized: %s entered as %s',
    (kind, as) => {
      for (const words of TREZOR.map(([hex]) => wordsOf(bytesOf(hex), kind)))
        expect(() => seedOf(words, as)).toThrow(expect.objectContaining({ reason: 'other_kind', position: null }))
    },
  )
})
