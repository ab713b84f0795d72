import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { budgetOf, exceeded, type JsonMeasure, JsonMeter } from './json-budget.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function measured(bytes: Uint8Array, pieceBytes = bytes.length || 1): JsonMeasure {
  const meter = new JsonMeter()
  for (let at = 0; at < bytes.length; at += pieceBytes) meter.take(bytes.subarray(at, at + pieceBytes))
  return meter.measure
}

/** What a parsed value holds, counted the plain way. */
function counted(value: unknown): JsonMeasure {
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
        expect(measured(bytesOf(body), pieceBytes)).toEqual(expected)
        expect(measured(bytesOf(body))).toEqual(expected)
        expect(exceeded(expected, expected)).toBeNull()
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
    expect(measured(bytesOf(body))).toEqual(expected)
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
    expect(exceeded({ ...budget }, budget)).toBeNull()
    expect(exceeded({ ...budget, [unit]: budget[unit] + 1 }, budget)).toBe(unit)
  })
})

function parsedOrNull(body: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return null
  }
}
