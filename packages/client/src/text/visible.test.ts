import { describe, expect, it } from 'vitest'
import { visibleJsonOf, visibleLineOf, visibleOf } from './visible.ts'

const ESC = '\u001b'

describe('what others wrote', () => {
  it.each([
    ['the clipboard', `${ESC}]52;c;ZXZpbA==\u0007`, '\\u{001b}]52;c;ZXZpbA==\\u{0007}'],
    ['a cleared screen', `${ESC}[2J${ESC}[H`, '\\u{001b}[2J\\u{001b}[H'],
    ['the same in C1', '\u009b2J\u009d52;c;eA==\u009c', '\\u{009b}2J\\u{009d}52;c;eA==\\u{009c}'],
    ['an overwritten line', 'From me\rFrom you\b\u007f', 'From me\\u{000d}From you\\u{0008}\\u{007f}'],
    [
      'another order',
      '\u202egpj.exe\u202c\u2066x\u2069\u200f\u061c',
      '\\u{202e}gpj.exe\\u{202c}\\u{2066}x\\u{2069}\\u{200f}\\u{061c}',
    ],
    [
      'nothing to see',
      'pay\u200bpal\u00ad\ufeff\u2060\u{e0041}\u3164',
      'pay\\u{200b}pal\\u{00ad}\\u{feff}\\u{2060}\\u{e0041}\\u{3164}',
    ],
    ['a joiner that joins nothing', 'pay\u200dpal\u200c', 'pay\\u{200d}pal\\u{200c}'],
    ['half a pair', 'a\ud800', 'a\\u{d800}'],
    ['another line', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ])('is shown as escapes: %s', (_, text, shown) => {
    expect(visibleOf(text)).toBe(shown)
  })

  it('stays where it is only text', () => {
    for (const text of [
      'Grüße\n\tが',
      'Windows\r\n',
      '👩\u200d🔬 ❤\ufe0f\u200d🔥',
      'می\u200cخواهم',
      'क\u094d\u200dष',
      'שלום',
      '𝄞',
    ])
      expect(visibleOf(text)).toBe(text)
  })

  it('in one line cannot begin another', () => {
    expect(visibleLineOf('Hi\nFrom     the bank\t<a@b>')).toBe('Hi\\u{000a}From     the bank\\u{0009}<a@b>')
  })

  it('as JSON is the same value, with nothing hidden', () => {
    const value = { 'a\u202e': ['\u009b2J', '\u{e0041}', '\ud800', 'می\u200cخواهم', `${ESC}[31m\n`] }
    const json = visibleJsonOf(value, 2)
    expect(JSON.parse(json)).toEqual(value)
    expect(json).toBe(visibleOf(json))
    expect(json).toContain('\\u202e')
  })
})
