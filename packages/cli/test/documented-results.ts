/**
 * Holds what `svc` prints with `--json` to the schema that `svc schema` and the page of results tell, with the schemas of
 * the API that it refers to, and with a validator that neither `svc` nor the services use.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { CommandSpec } from '../src/command.ts'
import { GROUPS } from '../src/groups.ts'
import { type JsonSchema, schemaOf } from '../src/schema/results.ts'

const WORKERS = join(import.meta.dirname, '../../../workers')
const SERVICES = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay']
const COMMANDS = GROUPS.flatMap(({ commands }) => commands)

const validators = new Map<string, ValidateFunction>()
let loaded: Ajv2020 | undefined

/** The command that was typed; undefined if the words are none. */
export function commandIn(words: readonly string[]): CommandSpec | undefined {
  return COMMANDS.find(({ path }) => `${words.join(' ')} `.startsWith(`${path} `))
}

/** What is wrong with what a command printed; null if it has the documented form, or is not a result with `--json`. */
export function faultOfResult(words: readonly string[], stdout: string): string | null {
  const spec = commandIn(words)
  if (!spec || !words.includes('--json') || stdout === '') return null
  const isRehearsal = words.includes('--dry-run')
  const name = `${spec.path}${isRehearsal ? ' --dry-run' : ''}`
  const validate = validators.get(name) ?? validator(isRehearsal ? rehearsed(schemaOf(spec)) : schemaOf(spec))
  validators.set(name, validate)
  return validate(JSON.parse(stdout)) ? null : `svc ${name}: ${ajv().errorsText(validate.errors)}`
}

function validator(schema: JsonSchema): ValidateFunction {
  return ajv().compile(schema)
}

/** With the documents of the services under the names by which results refer to them. */
function ajv(): Ajv2020 {
  if (loaded) return loaded
  // The documents have keywords of OpenAPI, and each format comes with a pattern.
  loaded = new Ajv2020({ strict: false, validateFormats: false })
  for (const service of SERVICES) loaded.addSchema({ $id: documentOf(service), components: componentsOf(service) })
  return loaded
}

const documentOf = (service: string) => `${service}/openapi.json`

function componentsOf(service: string): { readonly schemas: Readonly<Record<string, JsonSchema>> } {
  const { components } = JSON.parse(readFileSync(join(WORKERS, documentOf(service)), 'utf8')) as {
    components: { schemas: Record<string, JsonSchema> }
  }
  return { schemas: components.schemas }
}

/** With `--dry-run`, any member may be missing, and `dryRun` is true. */
function rehearsed(schema: JsonSchema): JsonSchema {
  const { $ref, anyOf, properties } = schema
  if (typeof $ref === 'string') return rehearsed(resolved($ref))
  if (Array.isArray(anyOf)) return { anyOf: (anyOf as JsonSchema[]).map(rehearsed) }
  return { ...schema, required: [], properties: { ...Object(properties), dryRun: { const: true } } }
}

/** A schema of a service, with its references made from outside the document. */
function resolved(ref: string): JsonSchema {
  const [, service = '', name = ''] = /^(\w+)\/openapi\.json#\/components\/schemas\/(\w+)$/.exec(ref) ?? []
  const text = JSON.stringify(componentsOf(service).schemas[name])
  return JSON.parse(text.replaceAll('"#/components/', `"${documentOf(service)}#/components/`)) as JsonSchema
}
