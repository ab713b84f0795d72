/**
 * The members of a body or the values of a parameter, from its JSON Schema.
 *
 * @module
 */
export type Schema = { readonly [keyword: string]: unknown }
export type Schemas = Readonly<Record<string, Schema>>

export interface Field {
  /** `messages[].subject` */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string
}

const REFERENCE = '#/components/schemas/'
/** Deeper members are left to the JSON document. */
const MAX_DEPTH = 4

/** Every member of an object schema, nested ones by their path. */
export function fieldsOf(schema: Schema, schemas: Schemas): Field[] {
  return nested('', schema, { schemas, depth: 0 })
}

interface Place {
  readonly schemas: Schemas
  readonly depth: number
}

function nested(path: string, schema: Schema, place: Place): Field[] {
  const found = resolved(schema, place.schemas)
  if (place.depth > MAX_DEPTH) return []
  const forms = formsOf(found, place.schemas)
  if (forms.length > 1) return merged(forms.map((form) => nested(path, form, place)))
  const form = forms[0] ?? found
  const items = form['items'] as Schema | undefined
  if (items) return nested(`${path}[]`, items, place)
  const values = form['additionalProperties']
  const deeper = { ...place, depth: place.depth + 1 }
  const listed = Object.entries((form['properties'] ?? {}) as Schemas).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    const isRequired = ((form['required'] ?? []) as string[]).includes(name)
    return [{ name: at, isRequired, ...describeValue(member, place.schemas) }, ...nested(at, member, deeper)]
  })
  const isMap = typeof values === 'object' && values !== null && Object.keys(values).length > 0
  return isMap ? [...listed, ...nested(`${path === '' ? '' : `${path}.`}*`, values as Schema, deeper)] : listed
}

/** What a value may be, and what it means. */
export function describeValue(schema: Schema, schemas: Schemas): Pick<Field, 'type' | 'about'> {
  const found = resolved(schema, schemas)
  const description = schema['description'] ?? found['description']
  return { type: typeOf(schema, schemas), about: typeof description === 'string' ? description : '' }
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const found = resolved(schema, schemas)
  const values = (found['enum'] ?? ('const' in found ? [found['const']] : undefined)) as unknown[] | undefined
  if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  const alternatives = alternativesOf(found)
  if (alternatives) return [...new Set(alternatives.map((form) => typeOf(form, schemas)))].join(' or ')
  const types = [found['type'] ?? 'object'].flat() as string[]
  return types.map((type) => shapeOf(type, found, schemas)).join(' or ')
}

function shapeOf(type: string, schema: Schema, schemas: Schemas): string {
  if (type === 'array') {
    const most = range(undefined, schema['maxItems'], '')
    return `list of ${typeOf((schema['items'] ?? {}) as Schema, schemas)}${most}`
  }
  if (type === 'integer' || type === 'number') return `${type}${range(schema['minimum'], schema['maximum'], '')}`
  if (type !== 'string') return type
  return `${textForm(schema['pattern'])}${range(schema['minLength'], schema['maxLength'], ' characters')}`
}

const BASE64URL = /^\^\[A-Za-z0-9_-\][+*]\$$/

function textForm(pattern: unknown): string {
  if (typeof pattern !== 'string') return 'string'
  if (BASE64URL.test(pattern)) return 'base64url'
  return pattern.length <= 40 ? `string \`${pattern}\`` : 'string'
}

function range(least: unknown, most: unknown, unit: string): string {
  const [lower, upper] = [boundOf(least), boundOf(most)]
  if (lower !== undefined && lower === upper) return `, ${upper}${unit}`
  if (lower !== undefined && upper !== undefined) return `, ${lower} to ${upper}${unit}`
  if (upper !== undefined) return `, at most ${upper}${unit}`
  return lower === undefined ? '' : `, at least ${lower}${unit}`
}

/** The generator bounds every integer by what a double holds. */
const boundOf = (bound: unknown) => (Number.isSafeInteger(Math.abs(Number(bound)) + 1) ? Number(bound) : undefined)

function resolved(schema: Schema, schemas: Schemas): Schema {
  const reference = schema['$ref']
  return typeof reference === 'string' ? (schemas[reference.slice(REFERENCE.length)] ?? {}) : schema
}

const alternativesOf = (schema: Schema) => (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined

/** The forms that a value may have, without null. */
function formsOf(schema: Schema, schemas: Schemas): Schema[] {
  const forms = (alternativesOf(schema) ?? []).map((form) => resolved(form, schemas))
  return forms
    .filter((form) => form['type'] !== 'null')
    .flatMap((form) => (alternativesOf(form) ? formsOf(form, schemas) : [form]))
}

/** One row per member: it is required if every form requires it. */
function merged(forms: readonly Field[][]): Field[] {
  const byName = Map.groupBy(forms.flat(), ({ name }) => name)
  return [...byName].map(([name, fields]) => ({
    name,
    type: [...new Set(fields.map(({ type }) => type))].join(' or '),
    isRequired: fields.length === forms.length && fields.every(({ isRequired }) => isRequired),
    about: fields.find(({ about }) => about !== '')?.about ?? '',
  }))
}
