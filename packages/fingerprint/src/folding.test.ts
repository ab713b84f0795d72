import { describe, expect, it } from 'vitest'
import { fingerprintText } from './fingerprint.ts'
import { fold } from './folding.ts'

describe('fold', () => {
  it.each([
    ['Straße und STRASSE', 'strasse und strasse'],
    ['ΟΔΥΣΣΕΥΣ Ὀδυσσεύς', 'οδυσσευσ οδυσσευσ'],
    ['IĞDIR İstanbul ısı', 'igdir istanbul isi'],
    ['Élan E\u0301lan elan', 'elan elan elan'],
    ['ﬁne ｆｕｌｌ Ⅷ x²', 'fine full viii x2'],
    ['so\u00adft zero\u200bwidth jo\u200din', 'soft zerowidth join'],
    ['كِتَابٌ كتـــاب أحمد', 'كتاب كتاب احمد'],
    ['שָׁלוֹם', 'שלום'],
    ['ガ ｶﾞ か\u3099', 'ガ ガ が'],
    ['한글 \u1112\u1161\u11ab글', '한글 한글'],
    ['Ёлка йод', 'елка иод'],
    ['คำ น้ำ', 'ค\u0e4dา น\u0e49\u0e4dา'],
  ])('gives %s as %s', (text, folded) => {
    expect(fold(text)).toBe(folded.normalize('NFC'))
  })

  it('keeps eight marks of a flood on one letter', () => {
    expect(fold(`ก${'\u0e38'.repeat(1000)}`)).toBe(`ก${'\u0e38'.repeat(8)}`)
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
