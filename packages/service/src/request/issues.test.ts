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
