import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { budgetOf, exceeded, type JsonBudget, type JsonMeasure, JsonMeter } from './json-budget.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function measured(bytes: Uint8Array, pieceBytes = bytes.length || 1): JsonMeasure {
  const meter = new JsonMeter()
  for (let at = 0; at < bytes.length; at += pieceBytes) meter.take(bytes.subarray(at, at + pieceBytes))
  return meter.measure
}

/** What a parsed value holds, counted the plain way. */
function counted(value: unknown): JsonBudget {
  if (typeof value !== 'object' || value === null) return { values: 1, structures: 0, depth: 0 }
  const total = { values: 1, structures: 1 + (Array.isArray(value) ? 0 : Object.keys(value).length), depth: 0 }
  for (const inner of Object.values(value)) {
    const { values, structures, depth } = counted(inner)
    total.values += values
    total.structures += structures
    total.depth = Math.max(total.depth, depth)
  }
  return { ...total, depth: total.depth + 1 }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '"',
    '\\',
    '\\"',
    '[{,:}]',
    '1',
    'é\u0000',
    '😀',
    '\ud800',
    '\u2028',
    ' '.repeat(40),
    `${'x'.repeat(30)}\\`,
    `${'y"'.repeat(20)}${'z'.repeat(50)}`,
  ),
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  ),
})).value
const space = fc.constantFrom(undefined, ' ', '\t', '\n  ')

describe('a JSON body is measured', () => {
  it('as it would parse, wherever its pieces are cut', () => {
    fc.assert(
      fc.property(json, space, fc.integer({ min: 1, max: 9 }), fc.boolean(), (value, indent, pieceBytes, hasMark) => {
        const body = (hasMark ? '\ufeff' : '') + JSON.stringify(value, null, indent)
        const expected = counted(JSON.parse(JSON.stringify(value)))
        expect(measured(bytesOf(body), pieceBytes)).toMatchObject(expected)
        expect(measured(bytesOf(body))).toMatchObject(expected)
        expect(exceeded(measured(bytesOf(body)), expected)).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('at least as high as what a parser builds before it finds a fault', () => {
    const fragment = fc.constantFrom('[', ']', '{', '}', ',', ':', '"a"', '"', '\\', '1', '-', 'true', 'nul', ' ', 'é')
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
        const body = fragments.join('')
        const parsed = parsedOrNull(body)
        if (!parsed) return
        const { values, structures, depth } = measured(bytesOf(body))
        const built = counted(parsed.value)
        expect(depth).toBe(built.depth)
        // A member that is repeated is built each time and kept once.
        expect(values).toBeGreaterThanOrEqual(built.values)
        expect(structures).toBeGreaterThanOrEqual(built.structures)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['', { values: 0, structures: 0, depth: 0 }],
    ['{"a":[1,"b",{}]}', { values: 5, structures: 4, depth: 3 }],
    ['{"a":1,"a":2}', { values: 3, structures: 3, depth: 1 }],
    ['"[[[[\\"[["', { values: 1, structures: 0, depth: 0 }],
    ['[[[[', { values: 4, structures: 4, depth: 4 }],
    ['-1.5e+10 true', { values: 2, structures: 0, depth: 0 }],
  ])('%s', (body, expected) => {
    expect(measured(bytesOf(body))).toMatchObject(expected)
  })
})

describe('a budget', () => {
  it('follows the limit in bytes unless an operation declares more', () => {
    expect(budgetOf(1_024)).toEqual({ values: 128, structures: 16_384, depth: 64 })
    expect(budgetOf(2 ** 24)).toEqual({ values: 131_072, structures: 16_384, depth: 64 })
    expect(budgetOf(2 ** 24, { values: 10_100 })).toMatchObject({ values: 10_100, structures: 16_384 })
  })

  it.each(['values', 'structures', 'depth'] as const)('is exceeded by one more of its %s', (unit) => {
    const budget = { values: 3, structures: 2, depth: 1 }
    expect(exceeded({ ...budget, loose: 0 }, budget)).toBeNull()
    expect(exceeded({ ...budget, loose: 0, [unit]: budget[unit] + 1 }, budget)).toBe(unit)
  })
})

it('a body that is mostly blank is exceeded, and one with each value in a line is not', () => {
  const budget = { values: 200_000, structures: 10, depth: 2 }
  const longest = `[${Array<string>(100_000)
    .fill(`\n${' '.repeat(200)}-1.2345678901234567e+308`)
    .join(',')}]`
  expect(exceeded(measured(bytesOf(longest)), budget)).toBeNull()
  for (const blank of [' ', '1', '\n'])
    expect(exceeded(measured(bytesOf(blank.repeat(2_200_000))), budget)).toBe('loose')
  expect(exceeded(measured(bytesOf(' '.repeat(60_000))), budget)).toBeNull()
})

function parsedOrNull(body: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return null
  }
}
