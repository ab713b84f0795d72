type Json = null | boolean | number | string | Json[] | { readonly [name: string]: Json }

/**
 * The document without four forms of the generator that nothing can satisfy or compile: a nullable reference as `allOf`
 * of the reference and a type with null, a nullable literal whose values leave null out, a discriminator whose values are
 * numbers, and a list of at least one as a tuple.
 */
export function repaired<T>(document: T): T {
  return repair(document as Json) as T
}

function repair(node: Json): Json {
  if (Array.isArray(node)) return node.map(repair)
  if (!isObject(node)) return node
  const members = Object.entries(withNull(node)).flatMap(([name, value]) => repairMember(name, value))
  return Object.fromEntries(members.map(([name, value]) => [name, repair(value)]))
}

function repairMember(name: string, value: Json): [string, Json][] {
  if (name === 'discriminator' && isNumbered(value)) return []
  const reference = name === 'allOf' ? nullableOf(value) : null
  if (reference) return [['anyOf', [reference, { type: 'null' }]]]
  const [first] = name === 'prefixItems' && Array.isArray(value) ? value : []
  return first === undefined ? [[name, value]] : Object.entries({ items: first, minItems: 1 })
}

/** A schema whose type has null, with null among its values too. */
function withNull(schema: { readonly [name: string]: Json }): { readonly [name: string]: Json } {
  const { type, enum: values } = schema
  const leavesOut = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null)
  return leavesOut ? { ...schema, enum: [...values, null] } : schema
}

/** The generator maps no values but strings. */
function isNumbered(discriminator: Json): boolean {
  const mapping = isObject(discriminator) ? discriminator['mapping'] : undefined
  return isObject(mapping) && Object.keys(mapping).length === 0
}

/** The reference in `[{$ref}, {type: [..., 'null']}]`. */
function nullableOf(parts: Json): Json | null {
  if (!Array.isArray(parts) || parts.length !== 2) return null
  const [reference, alternative] = parts
  const types = isObject(alternative) ? alternative['type'] : undefined
  const isNullable = isObject(reference) && '$ref' in reference && Array.isArray(types) && types.includes('null')
  return isNullable ? reference : null
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
