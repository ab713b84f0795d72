/**
 * The form of what each command prints with `--json`. Loaded by `svc schema` and by tests only, so that help stays fast.
 *
 * @module
 */
import * as z from 'zod'
import type { CommandSpec } from '../command.ts'
import { refOf } from './members.ts'
import { OWN_RESULTS } from './own.ts'
import { RECORD_RESULTS } from './records.ts'
import { ROTATION_RESULTS } from './rotations.ts'
import { SERVICE_RESULTS } from './services.ts'

export const RESULTS: Readonly<Record<string, z.ZodObject>> = {
  ...OWN_RESULTS,
  ...ROTATION_RESULTS,
  ...RECORD_RESULTS,
  ...SERVICE_RESULTS,
}

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** With `$ref`s into the `openapi.json` of services, relative to a folder with one folder for each service. */
export function schemaOf({ path, result }: Pick<CommandSpec, 'path' | 'result'>): JsonSchema {
  const own = RESULTS[path]
  if (own) return z.toJSONSchema(own)
  const names = namesOf(result)
  if (names.length === 0) throw new TypeError(`svc ${path} has no schema`)
  const refs = names.map(([service, name]) => ({ $ref: refOf(service, name) }))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return refs.length === 1 ? { $schema, ...refs[0] } : { $schema, anyOf: refs }
}

/** `ConsentRecord or ConsentMiss of consent`. */
export function namesOf(result: CommandSpec['result']): (readonly [service: string, name: string])[] {
  if (typeof result !== 'string') return []
  const [names = '', service = ''] = result.split(' of ')
  return names.split(' or ').map((name) => [service, name] as const)
}
