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
    const { count, length } = split('a'.repeat(130))
    expect([count, length[0], length[1], length[2]]).toEqual([3, 64, 64, 2])
  })

  it('returns equal hashes for equal words only', () => {
    const { hash } = split('stone water Stone stones')
    expect(hash[0]).toBe(hash[2])
    expect(new Set(hash.subarray(0, 4)).size).toBe(3)
  })

  it('returns equal heads and tails for words that begin or end with the same three characters', () => {
    const { head, tail } = split('lantern lanxern lantexn laxtern an man')
    expect([head[1], head[2]]).toEqual([head[0], head[0]])
    expect([tail[1], tail[3]]).toEqual([tail[0], tail[0]])
    expect(new Set([head[0], head[3], head[4], head[5]]).size).toBe(4)
    expect(new Set([tail[0], tail[2], tail[4], tail[5]]).size).toBe(4)
  })

  it('gives a word the mass of two ideographs or four Thai characters', () => {
    const { count, position } = split('word 漢字 กขคง')
    expect([...position.subarray(0, count + 1)]).toEqual([0, 4, 6, 8, 9, 10, 11, 12])
  })

  it('stops above the given mass', () => {
    expect(splitWords('a b c d e f', 10).count).toBe(3)
  })
})
