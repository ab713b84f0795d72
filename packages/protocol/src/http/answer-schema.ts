/**
 * Answers are read tolerantly: a later version of a service may add members, and a client that refuses them would stop
 * working on the day of that deployment. The schemas stay strict, because services check requests with them and tests
 * hold answers to them; `answerSchema` derives the form for reading.
 *
 * Unknown members are kept, not dropped: a signature covers the statement as it was received. A statement that was
 * signed with a member verifies with it, and one that got a member afterwards does not verify.
 *
 * @module
 */
import * as z from 'zod'

type Schema = z.core.$ZodType
type Shape = Readonly<Record<string, Schema>>

/** By the strict schema. Schemas are module constants, so this is as large as the program's schemas. */
const derived = /* @__PURE__ */ new WeakMap<Schema, Schema>()

/** The same schema, but every object in it, at any depth, accepts and keeps members that it does not name. */
export function answerSchema<S extends z.ZodType>(schema: S): S {
  return loose(schema) as S
}

function loose(schema: Schema): Schema {
  const known = derived.get(schema)
  if (known) return known
  const made = derive(schema)
  derived.set(schema, made)
  return made
}

/** Where the other kinds of schema hold the schemas that they are made of. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  array: ['element'],
  record: ['valueType'],
  intersection: ['left', 'right'],
  pipe: ['in', 'out'],
  optional: ['innerType'],
  nullable: ['innerType'],
  nonoptional: ['innerType'],
  default: ['innerType'],
  prefault: ['innerType'],
  readonly: ['innerType'],
  catch: ['innerType'],
}

function derive(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return objectWith(schema, def.shape)
  if (def.type === 'tuple') return cloneWith(schema, { items: def.items.map(loose), rest: def.rest && loose(def.rest) })
  if (def.type === 'union') {
    return cloneWith(schema, { options: 'discriminator' in def ? def.options.map(loose) : optionsOf(def.options) })
  }
  const inner = INNER[def.type]
  if (!inner) return schema
  const parts = def as unknown as Readonly<Record<string, Schema>>
  return cloneWith(
    schema,
    Object.fromEntries(inner.flatMap((name) => (parts[name] ? [[name, loose(parts[name])]] : []))),
  )
}

function cloneWith(schema: Schema, changed: object): Schema {
  return z.clone(schema, { ...schema._zod.def, ...changed })
}

/**
 * Without a discriminator, a member is unknown only if no alternative names it. Otherwise an alternative with fewer members would accept
 * what is a faulty answer of another one.
 */
function optionsOf(options: readonly Schema[]): Schema[] {
  const shapes = options.map((option) => shapeOf(option))
  const named = new Set(shapes.flatMap((shape) => Object.keys(shape ?? {})))
  return options.map((option, index) => {
    const shape = shapes[index]
    if (!shape) return loose(option)
    const others = [...named].filter((name) => !Object.hasOwn(shape, name))
    return objectWith(option, shape, Object.fromEntries(others.map((name) => [name, z.never().optional()])))
  })
}

function shapeOf(schema: Schema): Shape | null {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'object' ? def.shape : null
}

/** Refinements of the object stay; `refused` are names that must be absent. */
function objectWith(schema: Schema, shape: Shape, refused: Shape = {}): Schema {
  const members = Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, loose(member)]))
  return cloneWith(schema, { shape: { ...members, ...refused }, catchall: z.unknown() })
}
