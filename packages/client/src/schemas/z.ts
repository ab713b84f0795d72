/**
 * The part of Zod's interface that the schemas use, on Zod's small build. The published package has this in the place of
 * `zod`: the same parsers without what makes JSON Schema, which is more code than the rest of a client. Where its
 * methods chain, the small build has functions.
 *
 * @module
 */
import * as mini from 'zod/mini'

/** The small build has no texts, and those of the large one are for people who fill in forms. */
mini.config({
  customError: (issue) =>
    issue.code === 'invalid_type' ? `must be ${issue.expected}` : issue.code.replaceAll('_', ' '),
})

type Schema = mini.ZodMiniType
type Shape = mini.core.$ZodShape
type Params = { readonly error?: string } | string
/** A schema with the methods below. */
export type Chained = Schema & typeof METHODS

const METHODS = {
  /** As the large build names its errors. */
  parse(this: Schema, value: unknown) {
    const result = mini.safeParse(this, value)
    if (result.success) return result.data
    result.error.name = 'ZodError'
    throw result.error
  },
  /** Descriptions are for the documents of the services. */
  meta(this: Schema) {
    return chained(this)
  },
  optional(this: Schema) {
    return chained(mini.optional(this))
  },
  nullable(this: Schema) {
    return chained(mini.nullable(this))
  },
  nullish(this: Schema) {
    return chained(mini.nullish(this))
  },
  array(this: Schema) {
    return chained(mini.array(this))
  },
  default(this: Schema, value: unknown) {
    return chained(mini._default(this, value))
  },
  catch(this: Schema, value: unknown) {
    // `mini.catch` brings all of Zod's helpers along.
    return chained(new mini.ZodMiniCatch({ type: 'catch', innerType: this, catchValue: () => value }))
  },
  transform(this: Schema, change: (value: never) => unknown) {
    return chained(mini.pipe(this, mini.transform(change as never)))
  },
  pipe(this: Schema, next: Schema) {
    return chained(mini.pipe(this, next))
  },
  refine(this: Schema, holds: (value: never) => unknown, params?: Params) {
    return checked(this, mini.refine(holds as never, params))
  },
  regex(this: Schema, pattern: RegExp, params?: Params) {
    return checked(this, mini.regex(pattern, params))
  },
  length(this: Schema, length: number) {
    return checked(this, mini.length(length))
  },
  min(this: Schema, least: number) {
    return checked(this, this.type === 'number' ? mini.gte(least) : mini.minLength(least))
  },
  max(this: Schema, most: number) {
    return checked(this, this.type === 'number' ? mini.lte(most) : mini.maxLength(most))
  },
  int(this: Schema) {
    return checked(this, mini.int())
  },
  trim(this: Schema) {
    return checked(this, mini.trim())
  },
  toLowerCase(this: Schema) {
    return checked(this, mini.toLowerCase())
  },
  startsWith(this: Schema, start: string) {
    return checked(this, mini.startsWith(start))
  },
  extend(this: Schema, shape: Shape) {
    return chained(mini.extend(this as mini.ZodMiniObject, shape))
  },
  omit(this: Schema, mask: Readonly<Record<string, true>>) {
    return chained(mini.omit(this as mini.ZodMiniObject, mask as never))
  },
  pick(this: Schema, mask: Readonly<Record<string, true>>) {
    return chained(mini.pick(this as mini.ZodMiniObject, mask as never))
  },
  partial(this: Schema) {
    return chained(mini.partial(this as mini.ZodMiniObject))
  },
  loose(this: Schema) {
    return chained(mini.catchall(this as mini.ZodMiniObject, mini.unknown()))
  },
  catchall(this: Schema, schema: Schema) {
    return chained(mini.catchall(this as mini.ZodMiniObject, schema))
  },
}

function chained(schema: Schema): Chained {
  return Object.assign(schema, METHODS)
}

function checked(schema: Schema, check: unknown): Chained {
  return chained(schema.check(check as never))
}

/** The same function, whose schemas have the methods. */
function chaining<Args extends readonly never[]>(make: (...args: Args) => Schema): (...args: Args) => Chained {
  return (...args) => chained(make(...args))
}

export const string = chaining(mini.string)
export const number = chaining(mini.number)
export const int = chaining(mini.int)
export const boolean = chaining(mini.boolean)
export const literal = chaining(mini.literal as (value: never) => Schema)
export const array = chaining(mini.array as (item: never) => Schema)
export const tuple = chaining(mini.tuple as (items: never) => Schema)
export function union(options: never): Chained & { readonly options: readonly Schema[] } {
  return Object.assign(chained(mini.union(options)), { options })
}

export const discriminatedUnion = chaining(mini.discriminatedUnion as (key: never, options: never) => Schema)
export const record = chaining(mini.record as (key: never, value: never) => Schema)
export const object = chaining(mini.object as (shape: never) => Schema)
export const strictObject = chaining(mini.strictObject as (shape: never) => Schema)
export const looseObject = chaining(mini.looseObject as (shape: never) => Schema)
export const unknown = chaining(mini.unknown)
export const never = chaining(mini.never)
export const url = chaining(mini.url)
export const uuid = chaining(mini.uuid)
export const email = chaining(mini.email)
export const json = chaining(mini.json)
export const clone = chaining(mini.clone as (schema: never, def: never) => Schema)
export const iso = { datetime: chaining(mini.iso.datetime) }

export function preprocess(change: (value: never) => unknown, schema: Schema): Chained {
  return chained(mini.pipe(mini.transform(change as never), schema))
}

const enumOf = chaining(mini.enum as (values: never) => Schema)
const nothing = chaining(mini.null)

export { registry, ZodMiniObject as ZodObject } from 'zod/mini'
export { enumOf as enum, nothing as null }
