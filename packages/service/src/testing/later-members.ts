import type * as z from 'zod'

type Schema = z.core.$ZodType

/** No schema has a member of this name. */
export const LATER_MEMBER = 'zzLaterMember'

/**
 * An answer as a later version of the service may give it: every object in it has one more member. In a record the names
 * are data, so it gets none.
 */
export function withLaterMembers(schema: Schema, answer: unknown): unknown {
  return extended(answer, recordNames(schema))
}

/** `name` is that of the member; the values of a record in a record are named `<name>.*`. */
function extended(value: unknown, records: ReadonlySet<string>, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => extended(item, records, name))
  if (typeof value !== 'object' || value === null) return value
  const isRecord = records.has(name)
  const members = Object.entries(value).map(([key, member]) => [
    key,
    extended(member, records, isRecord ? `${name}.*` : key),
  ])
  return Object.fromEntries(isRecord ? members : [...members, [LATER_MEMBER, { added: true }]])
}

/** The schemas right inside a schema, with their names where they are members. */
export function innerSchemas(schema: Schema): readonly (readonly [string | null, Schema])[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const unnamed = (...inner: readonly (Schema | null)[]) => inner.flatMap((one) => (one ? [[null, one] as const] : []))
  if (def.type === 'object') return Object.entries(def.shape)
  if (def.type === 'array') return unnamed(def.element)
  if (def.type === 'tuple') return unnamed(...def.items, def.rest)
  if (def.type === 'record') return unnamed(def.valueType)
  if (def.type === 'union') return unnamed(...def.options)
  if (def.type === 'intersection') return unnamed(def.left, def.right)
  if (def.type === 'pipe') return unnamed(def.in, def.out)
  return 'innerType' in def ? unnamed(def.innerType) : []
}

const known = new WeakMap<Schema, ReadonlySet<string>>()

function recordNames(schema: Schema): ReadonlySet<string> {
  const names = known.get(schema) ?? new Set(namesBelow(schema, null))
  known.set(schema, names)
  return names
}

function namesBelow(schema: Schema, name: string | null): string[] {
  const { type } = (schema as z.core.$ZodTypes)._zod.def
  const isRecord = type === 'record' && name !== null
  const below = innerSchemas(schema).flatMap(([inner, part]) =>
    namesBelow(part, inner ?? (isRecord ? `${name}.*` : name)),
  )
  return isRecord ? [name, ...below] : below
}
