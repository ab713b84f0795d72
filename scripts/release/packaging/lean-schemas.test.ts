import { describe, expect, it } from 'vitest'
import { lean } from './lean-schemas.ts'

describe('code of a published package', () => {
  it('has schemas without their metadata', () => {
    const code = `const a = z.string().meta({ id: 'A', more: { deep: [1] } }).min(1).meta({ id: 'B' }).register(forms, { isPublished: true })
export const b = z.strictObject({ a: a.meta({ description: 'meta({' }).optional(), kept: meta({ x: 1 }), also: a.meta(given) })`
    expect(lean(code, 'packages/protocol/src/base/hash.ts')).toBe(`const a = z.string().min(1)
export const b = z.strictObject({ a: a.optional(), kept: meta({ x: 1 }), also: a.meta(given) })`)
  })

  it('has the names of errors without their texts', () => {
    const code = `export const ERRORS = { a: { status: 404, text: 'Not "here"' }, b: { status: 503, transient: true, text: \`x\` } }`
    expect(lean(code, 'packages/protocol/src/http/errors.ts')).toBe(
      `export const ERRORS = { a: { status: 404, text: '' }, b: { status: 503, transient: true, text: '' } }`,
    )
    expect(lean(code, 'packages/protocol/src/http/other.ts')).toBe(code)
  })
})
