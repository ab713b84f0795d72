import type { CommandSpec } from '../src/command.ts'
import { GROUPS } from '../src/groups.ts'
import { type JsonSchema, namesOf, schemaOf } from '../src/schema/results.ts'

const INTRO = `# Results of the command line

Use this page to read what a command of [\`svc\`](/developer/cli) prints with \`--json\`, in a script or a program. Each result is one JSON document on standard output:

\`\`\`text form
svc anchor info report.pdf.anchor.json --json
svc schema anchor info
\`\`\`

\`svc schema\` prints the same as a JSON Schema (draft 2020-12). A \`$ref\` in it, such as \`core/openapi.json#/components/schemas/HoldState\`, is a schema in the \`openapi.json\` of that service. The tests of \`svc\` hold every result that a command prints in them to its schema, with all that it refers to.

- Members may be added. None is removed or changes its meaning within a major version.
- With \`--dry-run\`, members are missing that only the act itself gives, and \`dryRun\` is true.
- A failure has no result: it is one line of JSON on standard error, as [Scripts](/developer/cli#scripts) says.
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
  if (names.length > 0) return `### svc ${path}\n\nWhat the API answers: ${names.join(' or ')}.`
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
