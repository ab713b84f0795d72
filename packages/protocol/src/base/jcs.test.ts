import { describe, expect, it } from 'vitest'
import { type Json, jcs, jcsBytes } from './jcs.ts'

describe('jcs', () => {
  it('reproduces the example of RFC 8785 section 3.2.2', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    ) as Json
    expect(jcs(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts members by UTF-16 code units, as in RFC 8785 section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    expect(Object.values(JSON.parse(jcs(value)) as object)).toHaveLength(7)
    expect([...jcs(value).matchAll(/:"([^"]+)"/g)].map(([, text]) => text)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  // RFC 8785 appendix B.
  it.each([
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [-5e-324, '-5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [295147905179352830000, '295147905179352830000'],
    [9.999999999999997e22, '9.999999999999997e+22'],
    [1e23, '1e+23'],
    [999999999999999700000, '999999999999999700000'],
    [1e21, '1e+21'],
    [9.999999999999997e-7, '9.999999999999997e-7'],
    [0.000001, '0.000001'],
    [333333333.33333325, '333333333.33333325'],
    [-0.0000033333333333333333, '-0.0000033333333333333333'],
    [Number('1424953923781206.25'), '1424953923781206.2'],
  ])('writes %d as %s', (value, text) => {
    expect(jcs(value)).toBe(text)
  })

  it('has no white space, keeps array order and sorts at every depth', () => {
    expect(jcs({ b: [3, 1, { d: 1, c: 2 }], a: {} })).toBe('{"a":{},"b":[3,1,{"c":2,"d":1}]}')
  })

  it('produces the same text for any member order', () => {
    expect(jcs({ a: 1, b: 2, c: 3 })).toBe(jcs({ c: 3, a: 1, b: 2 }))
  })

  it('omits undefined members', () => {
    expect(jcs({ a: 1, b: undefined })).toBe('{"a":1}')
  })

  it('does not normalize: composed and decomposed letters stay distinct', () => {
    expect(jcs('\u00e9')).not.toBe(jcs('e\u0301'))
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a lone high surrogate', '\ud83d'],
    ['a lone low surrogate', '\ude00'],
    ['surrogates in the wrong order', '\ude00\ud83d'],
    ['a lone surrogate in a member', { a: ['\ud800'] }],
    ['a lone surrogate in a name', { '\udead': 1 }],
    ['undefined', undefined],
  ])('refuses %s', (_, value) => {
    expect(() => jcs(value as Json)).toThrow()
  })

  it('refuses a cycle', () => {
    const loop: { self?: Json } = {}
    loop.self = loop as Json
    expect(() => jcs(loop)).toThrow('Circular')
  })

  it('encodes as UTF-8', () => {
    expect(jcsBytes('€😀')).toEqual(new Uint8Array([0x22, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0x22]))
  })
})
