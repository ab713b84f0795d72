import { describe, expect, it } from 'vitest'
import * as z from 'zod'

/** Returns whether the initializers of the schema's class have run. */
const isInitialized = (schema: object) => Object.hasOwn(schema, '_zod')

// The first of each class is initialized when it is created.
const item = z.strictObject({ name: z.string().min(1).optional(), of: z.array(z.enum(['a', 'b'])).nullable() })
item.meta({ description: 'first' })
const int = z.int().min(0)

/** These hold for the patched library, with which Workers start (docs/adr/0011-patched-dependencies.md). */
describe('a schema', () => {
  it('is initialized when it is first used', () => {
    const schema = z.strictObject({ name: z.string().min(2).max(3).meta({ description: 'Two or three' }) })
    expect([schema, schema.def.shape.name].map(isInitialized)).toEqual([false, false])
    expect(schema.safeParse({ name: 'abcd' }).error?.issues[0]).toMatchObject({ code: 'too_big', path: ['name'] })
    expect([schema, schema.def.shape.name].map(isInitialized)).toEqual([true, true])
    expect(schema.parse({ name: 'abc' })).toEqual({ name: 'abc' })
    expect(() => schema.parse({ name: 'abc', other: 1 })).toThrow('Unrecognized key')
  })

  it('keeps the checks and the description of the schema that it was made from', () => {
    const short = z.string().max(3).meta({ id: 'Short', description: 'Three at most' })
    const word = short.regex(/^[a-z]+$/)
    expect(isInitialized(word)).toBe(false)
    expect(word.meta()).toEqual({ description: 'Three at most' })
    expect(word.meta({ title: 'Word' }).meta()).toEqual({ description: 'Three at most', title: 'Word' })
    expect(short.safeParse('abcd').success).toBe(false)
    expect(['abc', 'abcd', 'AB'].map((value) => word.safeParse(value).success)).toEqual([true, false, false])
  })

  it.each([
    ['the items of a list', () => z.array(int).element, int],
    ['what may be missing', () => z.optional(int).unwrap(), int],
    ['what may be null', () => z.nullable(int).unwrap(), int],
    ['the options of an enumeration', () => z.enum(['x', 'y']).options, ['x', 'y']],
    ['the members of an object', () => z.object({ int }).shape.int, int],
    ['the limit of a number', () => z.int().max(9).maxValue, 9],
  ])('has what its class adds: %s', (_, read, expected) => {
    expect(read()).toEqual(expected)
  })

  it('can be of its own members', () => {
    type Tree = { children?: Tree[] | undefined }
    const tree: z.ZodType<Tree> = z.strictObject({
      get children() {
        return z.optional(z.array(tree))
      },
    })
    expect(tree.parse({ children: [{ children: [] }] })).toEqual({ children: [{ children: [] }] })
    expect(tree.safeParse({ children: [{ other: 1 }] }).success).toBe(false)
  })

  it('is an instance of its class, and no other', () => {
    const schema = z.array(int)
    expect(schema).toBeInstanceOf(z.ZodArray)
    expect(schema).toBeInstanceOf(z.ZodType)
    expect(schema).not.toBeInstanceOf(z.ZodString)
    expect(z.ZodString.prototype).not.toBeInstanceOf(z.ZodString)
  })

  it('fails in the same way each time if its definition is wrong', () => {
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })])
    const wrong = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ other: int })])
    for (let use = 0; use < 3; use++) {
      expect(() => wrong.safeParse({ kind: 'a' })).toThrow('Invalid discriminated union option at index "1"')
      expect(() => z.array(wrong).safeParse([{ other: 1 }])).toThrow('Invalid discriminated union option')
      expect(isInitialized(wrong)).toBe(false)
    }
  })

  it('keeps what an application sets before it is used', () => {
    z.optional(int)
    const changed = Object.assign(z.optional(int), { unwrap: () => 'changed' })
    expect(changed.parse(undefined)).toBeUndefined()
    expect(changed.unwrap()).toBe('changed')
  })

  it('is initialized at once if its class extends one of the library', () => {
    class Name extends z.ZodString {
      readonly isName = true
    }
    const name = new Name(z.string().min(2).def)
    expect([isInitialized(name), name.isName]).toEqual([true, true])
    expect(['a', 'ab'].map((value) => name.safeParse(value).success)).toEqual([false, true])
  })
})
