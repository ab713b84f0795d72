import { errorEntry } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Operation } from '../../app/operation.ts'
import { issuesOf } from '../../refusals/issues.ts'
import { innerSchemas } from '../later-members.ts'
import type { Exchange, Prober } from '../prober.ts'
import { operationsOf } from '../surface.ts'
import { cappedPlaces, type JsonSchema, namingMembers, resolving, tooMany } from './request-shapes.ts'

/** What a body is told that is not as documented: a collection above its cap, and a value that is one of several things. */
export function shapeBattery(prober: Prober): void {
  collectionBattery(prober)
  unionBattery(prober)
}

function collectionBattery(prober: Prober): void {
  const { document } = prober
  const documented = new Map(operationsOf(document).map(({ route, operation }) => [route, operation]))
  for (const { operation } of prober.service.routes) {
    if (!operation.body) continue
    const method = operation.method.toUpperCase()
    const route = `${method} ${operation.path}`
    const places = cappedPlaces(bodySchemaOf(documented.get(route)), resolving(document))
    if (places.length === 0) continue
    const name = operation.tooMany ?? 'too_many_items'

    it.each(places)(`${route} takes at most $limit items in $collection`, async (place) => {
      const refused = await postJson(prober, operation, place.bodyWith(tooMany(place)))
      expect({ status: refused.status, error: refused.error }).toEqual({ status: 413, error: name })
      const { collection, limit } = place
      expect(refused.body).toMatchObject({ details: { collection, limit } })
    })

    it(`${route} documents what a collection above its cap is told`, () => {
      const responses = documented.get(route)?.['responses'] as Record<string, { description?: string }>
      expect(responses['413']?.description).toContain(`\`${name}\`: ${errorEntry(name).text}`)
    })
  }
}

function bodySchemaOf(documented: Record<string, unknown> | undefined): JsonSchema {
  const body = documented?.['requestBody'] as { content: Record<string, { schema: JsonSchema }> } | undefined
  return body?.content['application/json']?.schema ?? {}
}

async function postJson(prober: Prober, operation: Operation, body: unknown): Promise<Exchange> {
  const { path, headers } = await prober.callFor(operation)
  return prober.send({ method: operation.method.toUpperCase(), path, headers, body: JSON.stringify(body) })
}

/** A message that says of a value of several forms no more than that it is wrong. */
const SAYS_NOTHING = /: Invalid input(?:;|$)/

type Schema = z.core.$ZodType

function unionBattery(prober: Prober): void {
  const taken = prober.service.routes.filter(({ operation }) => operation.body && !operation.parse)
  for (const { operation } of taken) {
    const unions = unionsIn(operation.body as Schema, 'body')
    if (unions.length === 0) continue
    const route = `${operation.method.toUpperCase()} ${operation.path}`

    describe(route, () => {
      it.each(unions)('says what is wrong with the alternative that $path names', ({ union }) => {
        const options = union._zod.def.options.map(optionOf).filter(({ value }) => value !== null)
        for (const { schema, value, literals } of options) {
          const own = (given: unknown) => said(schema, given)
          const shared = literals.filter(([name, literal]) => options.every((other) => isOf(other, name, literal)))
          expect(said(union, value)).toBe(own(value))
          for (const [name] of shared) {
            const wrong = withMember(value, name, 'another')
            expect(said(union, wrong), name).toBe(own(wrong))
          }
        }
      })

      it('never says only that the input is invalid', async () => {
        for (const { union, path } of unions)
          for (const value of [null, {}, [], 'text', 1, { type: 'another' }, { statement: { type: 'another' } }])
            expect(said(union, value) ?? '', `${path} ${JSON.stringify(value)}`).not.toMatch(SAYS_NOTHING)
        const { status, body } = await postJson(prober, operation, {})
        if (status === 400) expect(JSON.stringify(body)).not.toMatch(/: Invalid input["]/)
      })
    })
  }
}

function unionsIn(schema: Schema, path: string): { readonly union: z.core.$ZodUnion; readonly path: string }[] {
  const below = innerSchemas(schema).flatMap(([name, inner]) =>
    unionsIn(inner, name === null ? path : `${path}.${name}`),
  )
  return isUnion(schema) ? [{ union: schema, path }, ...below] : below
}

function isUnion(schema: Schema): schema is z.core.$ZodUnion {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'union'
}

/** An alternative, and the least value that names it. */
function optionOf(schema: Schema) {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const resolve = resolving(json)
  const value = resolve(json).properties ? namingMembers(json, resolve) : null
  return { schema, value, literals: literalsOf(value) }
}

type Literal = readonly [path: string, value: unknown]

function literalsOf(value: unknown, path = ''): Literal[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([name, member]) => literalsOf(member, path === '' ? name : `${path}.${name}`))
}

function isOf({ literals }: { readonly literals: readonly Literal[] }, path: string, value: unknown): boolean {
  return literals.some(([name, literal]) => name === path && literal === value)
}

function withMember(value: unknown, path: string, given: unknown): unknown {
  if (path === '') return given
  const [name = '', ...rest] = path.split('.')
  const members = value as Record<string, unknown>
  return { ...members, [name]: withMember(members[name], rest.join('.'), given) }
}

function said(schema: Schema, value: unknown): string | null {
  const { error } = z.safeParse(schema, value)
  return error ? issuesOf('body', error) : null
}
