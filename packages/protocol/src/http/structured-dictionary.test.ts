import { DisplayString, parseDictionary as independent, Token } from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { type MemberValue, parseDictionary, writeTokens } from './structured-dictionary.ts'

const token = (value: string) => ({ type: 'token', value })
const of = (text: string) => {
  const members = parseDictionary(text)
  return members && Object.fromEntries(members)
}

describe('parseDictionary', () => {
  it.each([
    ['', {}],
    ['   ', {}],
    ['a=1', { a: { type: 'integer', value: 1 } }],
    [
      '  a=-12 ,\tb=1.250 \t, c',
      {
        a: { type: 'integer', value: -12 },
        b: { type: 'decimal', value: 1.25 },
        c: { type: 'boolean', value: true },
      },
    ],
    ['a=?0, b=?1;x=?0', { a: { type: 'boolean', value: false }, b: { type: 'boolean', value: true } }],
    ['a;x;y=1', { a: { type: 'boolean', value: true } }],
    ['a=y;  p="q", *b.c-d_9=n', { a: token('y'), '*b.c-d_9': token('n') }],
    ['a=*x/y:z', { a: token('*x/y:z') }],
    ['a="x\\"y\\\\z, b=n"', { a: { type: 'string', value: 'x"y\\z, b=n' } }],
    [
      'a=:aGk=:, b=::, c=:aGk:',
      {
        a: { type: 'byte-sequence', value: 'aGk=' },
        b: { type: 'byte-sequence', value: '' },
        c: { type: 'byte-sequence', value: 'aGk' },
      },
    ],
    ['a=@1790000000, b=@-5', { a: { type: 'date', value: 1_790_000_000 }, b: { type: 'date', value: -5 } }],
    ['a=%"f%c3%bc%22"', { a: { type: 'display-string', value: 'fü"' } }],
    ['a=(), b=( 1 "x";q  tok )', { a: { type: 'inner-list' }, b: { type: 'inner-list' } }],
    ['a=y, b=n, a=1', { a: { type: 'integer', value: 1 }, b: token('n') }],
    ['a=999999999999999', { a: { type: 'integer', value: 999_999_999_999_999 } }],
    ['a=y\t', { a: token('y') }],
  ])('reads %j', (text, expected) => {
    expect(of(text)).toEqual(expected)
  })

  it.each([
    'a=1,',
    'a=1,,b=2',
    ',a=1',
    'a=',
    'a =1',
    'a= 1',
    'A=1',
    'a=1 b=2',
    '=1',
    '1=a',
    '\ta=1',
    'a=y\n',
    'a="x',
    'a="x\\y"',
    'a="é"',
    'a=é',
    'a=:a:',
    'a=:aGk*:',
    'a=:aG=k:',
    'a=:aGk=',
    'a=?2',
    'a=?',
    'a=1000000000000000',
    'a=1234567890123.1',
    'a=1.',
    'a=1.2345',
    'a=-',
    'a=--1',
    'a=@1.5',
    'a=@',
    'a=%"%C3%BC"',
    'a=%"%c3"',
    'a=%"x',
    'a=%x',
    'a=(1',
    'a=(1,2)',
    'a=(1"x")',
    'a=((1))',
    'a;P=1',
    'a;',
    'a=y;=1',
    'a=y ;b',
    'a;b=(1)',
  ])('refuses the whole of %j', (text) => {
    expect(parseDictionary(text)).toBeNull()
  })

  it('keeps the position of a duplicate key', () => {
    expect([...(parseDictionary('a=1, b=2, a=3') ?? [])].map(([key]) => key)).toEqual(['a', 'b'])
  })

  it('agrees with an independent parser on generated input', () => {
    const random = mulberry32(20_261_122)
    let accepted = 0
    for (let i = 0; i < 20_000; i++) {
      const text = someDictionary(random)
      // The other parser accepts a date only at the end of a field; the RFC allows parameters and commas after it.
      if (/@-?[0-9]+[^0-9]/.test(text)) continue
      const mine = parseDictionary(text)
      const theirs = theirReading(text)
      const reading = mine && [...mine].map(([key, value]) => [key, plain(value)])
      if (JSON.stringify(reading) !== JSON.stringify(theirs)) expect([text, reading]).toEqual([text, theirs])
      if (mine && mine.size > 1) accepted += 1
    }
    // Input that is only malformed would prove little.
    expect(accepted).toBeGreaterThan(300)
  })
})

describe('writeTokens', () => {
  it('round-trips', () => {
    const text = writeTokens([
      ['train-ai', 'n'],
      ['search', 'y'],
    ])
    expect(text).toBe('train-ai=n, search=y')
    expect(of(text)).toEqual({ 'train-ai': token('n'), search: token('y') })
    expect(writeTokens([])).toBe('')
  })
})

const KEYS = ['a', 'b', 'train-ai', 'search', '*k.9_-', 'A']
const VALUES = [
  '1',
  '-1',
  '1.5',
  '1.',
  '0.1234',
  '999999999999999',
  '9999999999999999',
  '"s"',
  '"\\"',
  '":,="',
  ':aGk=:',
  ':aG:',

  '?0',
  '?1',
  '?',
  '@1',
  '@1.5',
  '%"a"',
  '%"%c3%a9"',
  '%"%c3"',
  '(1 2)',
  '(a;b "c")',
  '()',
  '(',
  'tok/en:x',
  'y',
  'n',
  'é',
]
const PARAMETERS = ['', '', '', ';p', '; q=1', ';p="x"', ';', ' ;p']
const CHARACTERS = [' ', '\t', ',', ';', '=', '"', '(', ')', ':', '?', '@', '%', '*', 'A', '1', 'é', '']
const SEPARATORS = [', ', ', ', ',', ' ,\t', ' ', ',,', ';', '\n']

/** One to three members, most of them well-formed; one text in four has a character changed. */
function someDictionary(random: () => number): string {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  const member = () => pick(KEYS) + (random() < 0.9 ? `=${pick(VALUES)}` : '') + pick(PARAMETERS)
  let text = member()
  while (random() < 0.5) text += pick(SEPARATORS) + member()
  if (random() < 0.75) return text
  const at = Math.floor(random() * text.length)
  return text.slice(0, at) + pick(CHARACTERS) + text.slice(at + 1)
}

function theirReading(text: string): unknown {
  try {
    return [...independent(text)].map(([key, [value]]) => [key, theirPlain(value)])
  } catch {
    return null
  }
}

/** A common form: the other parser does not distinguish integers from decimals. */
function plain(member: MemberValue): unknown {
  if (member.type === 'inner-list') return 'list'
  if (member.type === 'byte-sequence') return `bytes ${atob(member.value)}`
  if (member.type === 'date') return `date ${member.value}`
  if (member.type === 'integer' || member.type === 'decimal') return member.value
  return `${member.type} ${member.value}`
}

function theirPlain(value: unknown): unknown {
  if (Array.isArray(value)) return 'list'
  if (value instanceof Token) return `token ${value.toString()}`
  if (value instanceof DisplayString) return `display-string ${value.toString()}`
  if (value instanceof Date) return `date ${value.getTime() / 1000}`
  if (value instanceof ArrayBuffer) return `bytes ${String.fromCharCode(...new Uint8Array(value))}`
  if (typeof value === 'number') return value
  return `${typeof value} ${String(value)}`
}

/** A seeded generator: the same numbers in every run. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
