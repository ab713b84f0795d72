/** A schema of an OpenAPI document, as far as the batteries read it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
}

export type Resolve = (schema: JsonSchema) => JsonSchema

export function resolving(document: unknown): Resolve {
  return function resolve(schema): JsonSchema {
    if (schema.$ref === undefined) return schema
    const found = schema.$ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
    return resolve(found as JsonSchema)
  }
}

/** The members of an object that say what it is: its literals, at any depth, and what has an example. */
export function namingMembers(schema: JsonSchema, resolve: Resolve): Record<string, unknown> {
  const members = Object.entries(resolve(schema).properties ?? {}).map(
    ([name, member]) => [name, namingValue(resolve(member), resolve)] as const,
  )
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function namingValue(schema: JsonSchema, resolve: Resolve): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length === 1) return schema.enum[0]
  const example = schema.example ?? schema.examples?.[0]
  if (example !== undefined) return example
  if (!schema.properties) return undefined
  const inner = namingMembers(schema, resolve)
  return Object.keys(inner).length === 0 ? undefined : inner
}

/** A list or a map with a cap, and a body that has it with given contents and little else. */
export interface CappedPlace {
  readonly collection: string
  readonly limit: number
  readonly kind: 'list' | 'map'
  readonly bodyWith: (contents: unknown) => unknown
}

/** Every capped list or map in the schema of a body. What has one fixed size has a form, not a cap. */
export function cappedPlaces(schema: JsonSchema, resolve: Resolve): CappedPlace[] {
  return placesIn(schema, resolve, { path: 'body', wrap: (inner) => inner, above: [] })
}

interface Way {
  readonly path: string
  readonly wrap: (inner: unknown) => unknown
  readonly above: readonly JsonSchema[]
}

function placesIn(reference: JsonSchema, resolve: Resolve, { path, wrap, above }: Way): CappedPlace[] {
  const schema = resolve(reference)
  if (above.includes(schema)) return []
  const below = (part: JsonSchema, name: string | null, inside: (inner: unknown) => unknown) =>
    placesIn(part, resolve, {
      path: name === null ? path : `${path}.${name}`,
      wrap: (inner) => wrap(inside(inner)),
      above: [...above, schema],
    })
  const { additionalProperties: values } = schema
  return [
    ...ownCap(schema).map((cap) => ({ ...cap, collection: path, bodyWith: wrap })),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((part) =>
      below(part, null, (inner) => inner),
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      below(member, name, (inner) => ({ ...namingMembers(schema, resolve), [name]: inner })),
    ),
    ...(schema.items ? below(schema.items, '0', (inner) => [inner]) : []),
    ...(typeof values === 'object' ? below(values, 'x', (inner) => ({ x: inner })) : []),
  ]
}

function ownCap({
  minItems,
  maxItems,
  minProperties,
  maxProperties,
}: JsonSchema): Pick<CappedPlace, 'limit' | 'kind'>[] {
  if (maxItems !== undefined && maxItems !== minItems) return [{ limit: maxItems, kind: 'list' }]
  if (maxProperties !== undefined && maxProperties !== minProperties) return [{ limit: maxProperties, kind: 'map' }]
  return []
}

/** One item more than the cap, all of them malformed. */
export function tooMany({ limit, kind }: CappedPlace): unknown {
  const items = Array<null>(limit + 1).fill(null)
  return kind === 'list' ? items : Object.fromEntries(items.map((item, i) => [`x${i}`, item]))
}
