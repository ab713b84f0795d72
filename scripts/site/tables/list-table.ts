import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const LIST_MARKER = '<!-- The table below is generated from the OpenAPI documents -->'

const ROOT = join(import.meta.dirname, '../../..')
const NUMBER = new Intl.NumberFormat('en')

interface Schema {
  readonly $ref?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Every list in a body that has a cap, by route. */
export function listTable(): string {
  const files = globSync('workers/*/openapi.json', { cwd: ROOT }).toSorted()
  const rows = files.flatMap((file) => {
    const service = file.split('/')[1] ?? file
    return rowsOf(service, JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Document)
  })
  return ['| Service | Route | Lists, and the most items of each |', '|---|---|---|', ...rows].join('\n')
}

function rowsOf(service: string, { paths, components = {} }: Document): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const { schema = {} } = requestBody?.content['application/json'] ?? {}
      const lists = new Map(cappedLists(schema, components.schemas ?? {}, '', []))
      const named = [...lists].map(([list, most]) => `\`${list}\` ${NUMBER.format(most)}`)
      return named.length === 0 ? [] : [`| ${service} | \`${method.toUpperCase()} ${path}\` | ${named.join(', ')} |`]
    }),
  )
}

type Capped = readonly [path: string, most: number]

/** The path of each list below a schema. A list of one length, such as a vector, has a form and no cap. */
function cappedLists(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  path: string,
  above: readonly Schema[],
): Capped[] {
  const found = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  if (above.includes(found)) return []
  const below = (part: Schema, name: string) =>
    cappedLists(part, schemas, [path, name].filter(Boolean).join('.'), [...above, found])
  const { maxItems, minItems, items, properties = {}, additionalProperties: values, anyOf = [], oneOf = [] } = found
  return [
    ...(maxItems !== undefined && maxItems !== minItems ? [[path, maxItems] as const] : []),
    ...[...anyOf, ...oneOf].flatMap((part) => below(part, '')),
    ...Object.entries(properties).flatMap(([name, member]) => below(member, name)),
    ...(items ? below(items, '') : []),
    ...(typeof values === 'object' ? below(values, '') : []),
  ]
}
