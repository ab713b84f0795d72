import { describe, expect, it } from 'vitest'
import { fingerprintText } from '../fingerprint.ts'
import { fold } from './folding.ts'

describe('fold', () => {
  it.each([
    ['Straße und STRASSE', 'strasse und strasse'],
    ['ΟΔΥΣΣΕΥΣ Ὀδυσσεύς', 'oδuʃʃeuʃ oδuʃʃeuʃ'],
    ['IĞDIR İstanbul ısı', 'igdir istanbul isi'],
    ['Élan E\u0301lan elan', 'elan elan elan'],
    ['ﬁne ｆｕｌｌ Ⅷ x²', 'fine full viii x2'],
    ['so\u00adft zero\u200bwidth jo\u200din', 'soft zerowidth join'],
    ['co\u0001n\u007ft\u0085r\u009fol \ufff9\u2800in\ufffb', 'control in'],
    ['line\nfeed\ttab\u000bform\ffeed\rreturn', 'line\nfeed\ttab\u000bform\ffeed\rreturn'],
    ['كِتَابٌ كتـــاب أحمد', 'كتاب كتاب احمد'],
    ['שָׁלוֹם', 'שלום'],
    ['ガ ｶﾞ か\u3099', 'が が が'],
    ['한글 \u1112\u1161\u11ab글', '한글 한글'],
    ['Ёлка йод', 'eʌka ͷoд'],
    ['คำ น้ำ', 'ค\u0e4dา น\u0e49\u0e4dา'],
  ])('folds %s to %s', (text, folded) => {
    expect(fold(text)).toBe(folded.normalize('NFC'))
  })

  // Not in the table above: the names of tests must be well-formed.
  it('does not join the halves of a surrogate pair', () => {
    expect(fold('\ud800\u200b\udc00 \udbff')).toBe('\ufffd\ufffd \ufffd')
  })

  it('keeps eight marks of a long run on one letter', () => {
    expect(fold(`ก${'\u0e38'.repeat(1000)}`)).toBe(`ก${'\u0e38'.repeat(8)}`)
    // Letters by category that decompose to marks, and marks that decompose to several.
    expect(fold(`ก${'\uff9e'.repeat(1000)}`)).toBe(`ก${'\u3099'.repeat(8)}`)
    expect(fold(`ក${'\u0f77'.repeat(1000)}`).length).toBe(9)
  })
})

describe('folding what is folded changes nothing', () => {
  const isStable = (text: string) => {
    const folded = fold(text)
    return fold(folded) === folded
  }
  const assigned = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => String.fromCodePoint(from + i)).filter(
      (one) => !/[\p{Cn}\p{Co}]/u.test(one),
    )

  it('for every text of seven characters around a hyphen at the end of a line', () => {
    const alphabet = ['a', '-', '\u2010', '\n', ' ', '\u0e38']
    for (let number = 0; number < alphabet.length ** 7; number++) {
      const digits = Array.from({ length: 7 }, (_, place) => Math.floor(number / alphabet.length ** place))
      const text = digits.map((digit) => alphabet[digit % alphabet.length]).join('')
      if (!isStable(text)) expect.unreachable(JSON.stringify(text))
    }
  })

  it('for every character, alone and between letters and marks', () => {
    const unstable: string[] = []
    for (let from = 0; from < 0x110000; from += 0x400) {
      const characters = assigned(from, 0x400)
      const changing = characters.filter((one) => one.normalize('NFKD') !== one || /\p{M}/u.test(one))
      const texts = [
        ...characters.map((one) => `${one} a${one}`),
        ...changing.map((one) => `a${one}\u3099 ${one}${'\u0e38'.repeat(9)}`),
      ]
      if (!isStable(texts.join(' '))) unstable.push(from.toString(16))
    }
    expect(unstable).toEqual([])
  })

  it('for random sequences of letters, marks, halves of surrogates and invisible characters', () => {
    // Deterministic, so that a failure can be reproduced.
    let seed = 19
    const below = (bound: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return (seed >> 8) % bound
    }
    const ranges = [
      [0, 0x3000],
      [0x300, 0x70],
      [0x900, 0x800],
      [0x1100, 0x100],
      [0x3040, 0xc0],
      [0x4e00, 0x5000],
      [0xac00, 0x2ba4],
      [0xd800, 0x800],
      [0xf900, 0x700],
      [0, 0x110000],
    ] as const
    const invisible = ['\u200b', '\u034f', '\u3164', '\u2800', '\0', '\u3099', '\uff9e', '\u{e0001}']
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + below(20) }, () => {
        const [from, count] = ranges[below(ranges.length)]!
        return below(4) === 0 ? invisible[below(invisible.length)] : String.fromCodePoint(from + below(count))
      }).join('')
      expect(isStable(text), JSON.stringify(text)).toBe(true)
    }
  })
})

const TEXT =
  'Große Häuser stehen am Fluss; die Straße führt über eine Brücke zum Markt, wo „frische“ Fische und Äpfel verkauft werden. Ο Οδυσσέας έφυγε, и ёлка стояла у окна — 東京都は日本の首都です。'

describe('a fingerprint stays the same', () => {
  const expected = fingerprintText(TEXT)

  it.each([
    ['in capitals', TEXT.toUpperCase()],
    ['in small letters', TEXT.toLowerCase()],
    ['decomposed', TEXT.normalize('NFD')],
    ['compatibly decomposed', TEXT.normalize('NFKD')],
    ['with other spaces', TEXT.replaceAll(' ', '\u00a0\r\n\t\u2003')],
    ['without accents', TEXT.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '')],
    ['with other punctuation', TEXT.replaceAll(/[;,.„“—]/g, ' * ')],
    ['with unseen characters', Array.from(TEXT).join('\u200b')],
    ['with emoji between the words', TEXT.replaceAll(' ', ' 🎣 ')],
    ['in full width', TEXT.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
  ])('%s', (_, text) => {
    expect(fingerprintText(text)).toEqual(expected)
  })
})

describe('a word that was broken at the end of a line', () => {
  it.each([
    ['exam-\nple', 'example'],
    ['exam\u2010\r\n   ple', 'example'],
    ['exam- \u2028ple', 'example'],
    ['слу-\nчай', 'случай'],
    ['a-\nb-\nc', 'abc'],
  ])('is whole: %j', (text, whole) => {
    expect(fold(text)).toBe(fold(whole))
  })

  it.each(['well-known', 'pages 3-\n5', 'a list:\n-\nitem', 'one -\ntwo', 'exam- ple'])('is not seen in %j', (text) => {
    expect(fold(text)).toContain('-')
  })
})
