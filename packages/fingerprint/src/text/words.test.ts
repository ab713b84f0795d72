import { describe, expect, it } from 'vitest'
import { fold } from './folding.ts'
import { splitWords } from './words.ts'

const split = (text: string) => splitWords(fold(text), Number.POSITIVE_INFINITY)

describe('splitWords', () => {
  it.each([
    ['Hello, world', 2],
    ['don’t', 2],
    ['2,000 years', 3],
    ['naïve café', 2],
    ['हिन्दी भाषा', 2],
    ['한국어 문장', 2],
    ['漢字かな', 4],
    ['カメラの写真', 6],
    ['らーめん アイヌㇰ', 8],
    ['第3章', 3],
    ['น้ำตก', 4],
    ['កម្ពុជា', 4],
    ['word漢word', 3],
    ['𠀀𠀁', 2],
    ['one🚢two', 2],
  ])('finds in %s %i words', (text, count) => {
    expect(split(text).count).toBe(count)
  })

  it('treats an unassigned character as a letter, but not one reserved for emoji', () => {
    expect(split('one\u0378two').count).toBe(1)
    expect(split('one\u{1faff}two').count).toBe(2)
  })

  it('treats a lone surrogate as a separator, and a mark without a base as a word', () => {
    expect(split('\ud800one\udc00two').count).toBe(2)
    expect(split('\u0e38\u0e38').count).toBe(1)
  })

  it('cuts a run of letters every 64 characters', () => {
    const { count, length } = split('ab'.repeat(65))
    expect([count, length[0], length[1], length[2]]).toEqual([3, 64, 64, 2])
  })

  it('returns equal hashes for equal words only', () => {
    const { hash } = split('stone water Stone stones')
    expect(hash[0]).toBe(hash[2])
    expect(new Set(hash.subarray(0, 4)).size).toBe(3)
  })

  it('counts a run of one letter once, but each digit', () => {
    const { count, hash, length } = split(`letter leter ${'l'.repeat(100)}etter lete 1000 100 ٢٢ ٢`)
    expect(count).toBe(8)
    expect([hash[1], hash[2]]).toEqual([hash[0], hash[0]])
    expect(new Set(hash.subarray(2, count)).size).toBe(6)
    expect([...length.subarray(0, 5)]).toEqual([5, 5, 5, 4, 4])
  })

  it('returns equal heads for words that begin with the same three characters', () => {
    const { head } = split('lantern lanxern laxtern la man')
    expect(head[1]).toBe(head[0])
    expect(new Set([head[0], head[2], head[3], head[4]]).size).toBe(4)
  })

  it('returns an equal set of letters for words with the same ones in another order or number', () => {
    const { letters } = split('lantern lanternn latnern lanten lanterns')
    expect([letters[1], letters[2]]).toEqual([letters[0], letters[0]])
    expect(new Set([letters[0], letters[3], letters[4]]).size).toBe(3)
  })

  it('keeps every character of a word with a digit', () => {
    const { hash, letters, head } = split('2024 2042 flight12 flight21')
    expect([...letters.subarray(0, 4)]).toEqual([...hash.subarray(0, 4)])
    expect([...head.subarray(0, 4)]).toEqual([...hash.subarray(0, 4)])
    expect(new Set(hash.subarray(0, 4)).size).toBe(4)
  })

  it.each([
    ['Latin', 'abcdefghijklmnopqrstuvwxyz', 26],
    ['Hebrew', 'אבגדהוזחטיכלמנסעפצקרשת', 22],
    ['Arabic', 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي', 28],
    // Folding turns some letters into look-alikes far from the others.
    ['Cyrillic', 'абвгдежзийклмнопрстуфхцчшщъыьэюя', 22],
    ['Greek', 'αβγδεζηθικλμνξοπρστυφχψω', 21],
  ])('tells letters of the alphabet apart: %s', (_, alphabet, classes) => {
    const { count, letters } = split(Array.from(alphabet).join(' '))
    expect(new Set(letters.subarray(0, count)).size).toBe(classes)
  })

  it('gives a word the mass of two ideographs, three kana or six Thai characters', () => {
    const { count, position } = split('word 漢字 かなあ กข')
    expect([...position.subarray(0, count + 1)]).toEqual([0, 6, 9, 12, 14, 16, 18, 19, 20])
  })

  it('stops above the given mass', () => {
    expect(splitWords('a b c d e f', 15).count).toBe(3)
  })
})
