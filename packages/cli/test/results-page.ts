import type { CommandSpec } from '../src/command.ts'
import { GROUPS } from '../src/groups.ts'
import { type JsonSchema, namesOf, schemaOf } from '../src/schema/results.ts'

const INTRO = `# Results of the command line

This page lists the results that the commands of [\`svc\`](/developer/cli) print with \`--json\`. Use it to read them in a script or a program. Each result is one JSON document on standard output:

\`\`\`text form
svc anchor info report.pdf.anchor.json --json
svc schema anchor info
\`\`\`

\`svc schema\` prints the same as a JSON Schema (draft 2020-12). A \`$ref\` in it, such as \`core/openapi.json#/components/schemas/HoldState\`, is a schema in the \`openapi.json\` of that service. The tests of \`svc\` validate every result against its schema and all schemas that it refers to.

- Members may be added. Within a major version, no member is removed or changes its meaning.
- With \`--dry-run\`, the result lacks members that only the act itself can give, and \`dryRun\` is true.
- A failure has no result. It prints one line of JSON on standard error: see [Scripts](/developer/cli#scripts).
`

/** The page with the form of each result. Written by \`vitest run -u\` in this package. */
export function resultsPage(): string {
  const groups = GROUPS.map(({ name, commands }) =>
    [`## ${name === null ? 'Commands of one word' : `svc ${name}`}`, ...commands.map(sectionOf)].join('\n\n'),
  )
  return `${[INTRO.trimEnd(), ...groups].join('\n\n')}\n`
}

function sectionOf(spec: CommandSpec): string {
  const { path, result } = spec
  const names = namesOf(result).map(([service, name]) => `\`${name}\` of ${service}`)
  if (names.length > 0) return `### svc ${path}\n\nThe result is the answer of the API: ${names.join(' or ')}.`
  const properties = Object.entries((schemaOf(spec)['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  const rows = properties.map(([member, schema]) => `| \`${member}\` | ${formOf(schema)} | ${aboutOf(schema)} |`)
  return [`### svc ${path}`, '', '| Member | Form | Meaning |', '|---|---|---|', ...rows].join('\n')
}

function formOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, items } = schema
  const values = schema['enum']
  if (typeof $ref === 'string') return `\`${$ref.split('/').at(-1)}\` of ${$ref.split('/')[0]}`
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ')
  if ('const' in schema) return `\`${String(schema['const'])}\``
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map(formOf).join(' or ')
  if (type === 'array') return `list of ${formOf((items ?? {}) as JsonSchema)}`
  return typeof type === 'string' ? type : 'any JSON'
}

function aboutOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? description : ''
}
