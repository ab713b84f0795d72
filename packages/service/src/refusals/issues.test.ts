import { expect, it } from 'vitest'
import * as z from 'zod'
import { issuesOf } from './issues.ts'

const schema = z.strictObject({ a: z.strictObject({ b: z.string() }) })
const said = (value: unknown) => {
  const { error } = schema.safeParse(value)
  return error && issuesOf('body', error)
}

it.each<[unknown, string]>([
  [{ a: { b: '' }, titel: 1 }, 'body: Unrecognized key titel'],
  [{ a: { b: '', c: 1, d: 2 } }, 'body.a: Unrecognized key c, d'],
  [{ a: { b: '' }, w: 1, x: 2, y: 3, z: 4 }, 'body: Unrecognized key w, x, y'],
  [{ a: { b: '' }, 'my secret plans': 1 }, 'body: Unrecognized key'],
  [{ a: { b: '' }, ['k'.repeat(41)]: 1 }, 'body: Unrecognized key'],
  [{ a: { b: '' }, canary9d5424ea693848e1: 1 }, 'body: Unrecognized key'],
  [{ a: { b: '' }, sha256: 1, userId: 2 }, 'body: Unrecognized key sha256, userId'],
  [{ a: { b: '' }, '<script>': 1, ok: 2 }, 'body: Unrecognized key ok'],
  [{ a: { b: 1 } }, 'body.a.b: Invalid input: expected string, received number'],
])('%j is told: %s', (value, message) => {
  expect(said(value)).toBe(message)
})

const act = <T extends string>(type: T, members: z.core.$ZodLooseShape) =>
  z.strictObject({
    statement: z.strictObject({ type: z.literal(type), alg: z.literal('x'), ...members }),
    signature: z.string(),
  })
const unions = {
  acts: z.union([act('a', { n: z.int() }), act('b', { text: z.string() })]),
  steps: z.discriminatedUnion('step', [
    z.strictObject({ step: z.literal('begin') }),
    z.strictObject({ step: z.literal('end'), proof: z.string() }),
  ]),
  values: z.union([z.string(), z.number(), z.boolean()]),
  bits: z.union([z.literal(0), z.literal(1)]),
  nested: z.array(
    z.union([act('a', { at: z.union([z.literal(1), z.literal(2)]) }), z.strictObject({ id: z.string() })]),
  ),
}

it.each<[keyof typeof unions, unknown, string]>([
  [
    'acts',
    {},
    'body.statement: Invalid input: expected object, received undefined; body.signature: Invalid input: expected string, received undefined',
  ],
  [
    'acts',
    { statement: { type: 'b', alg: 'x', text: 1 }, signature: '' },
    'body.statement.text: Invalid input: expected string, received number',
  ],
  [
    'acts',
    { statement: { type: 'b', alg: 'y', text: '' }, signature: '' },
    'body.statement.alg: Invalid input: expected "x"',
  ],
  ['acts', { statement: { type: 'b', alg: 'x', text: '', n: 1 }, signature: '' }, 'body.statement: Unrecognized key n'],
  [
    'acts',
    { statement: { type: 'c', alg: 'x', n: 1 }, signature: '' },
    'body.statement.type: Invalid option: expected one of "a"|"b"',
  ],
  ['steps', { step: 'end' }, 'body.proof: Invalid input: expected string, received undefined'],
  ['steps', { step: 'middle' }, 'body.step: Invalid option: expected one of "begin"|"end"'],
  ['values', [], 'body: Invalid input: expected string, number or boolean'],
  ['bits', 2, 'body: Invalid option: expected one of 0|1'],
  [
    'nested',
    [{ statement: { type: 'a', alg: 'x', at: 3 }, signature: '' }],
    'body.0.statement.at: Invalid option: expected one of 1|2',
  ],
])('of the union %s, %j is told: %s', (name, value, message) => {
  const { error } = unions[name].safeParse(value)
  expect(error && issuesOf('body', error)).toBe(message)
})
