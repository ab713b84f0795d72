import { answerSchema } from '@svc/protocol/http/answer-schema'
import { FOREIGN_MEMBERS } from '@svc/protocol/http/foreign'
import { hasPublishedForm } from '@svc/protocol/http/path-forms'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import type { Operation } from '../app/operation.ts'
import { answersOf } from '../openapi/answers.ts'
import { expectRefusal } from './credential-battery.ts'
import { innerSchemas } from './later-members.ts'
import type { Prober } from './prober.ts'

type Schema = z.core.$ZodType

interface FoundObject {
  readonly path: string
  /** What happens to a member that the schema does not name. */
  readonly unknown: 'refused' | 'kept' | 'dropped' | 'foreign'
}

/** Requests are read strictly and answers tolerantly, at every depth of every schema. */
export function strictnessBattery({ service: { description, routes } }: Prober): void {
  it('lets clients read answers with members that they do not know', () => {
    const objects = routes.flatMap(({ operation }) =>
      answersOf(description, operation).flatMap(({ status, schema }) =>
        schema ? objectsIn(answerSchema(schema), `${operation.id} ${status}`) : [],
      ),
    )
    expect(objects.length).toBeGreaterThan(5)
    expect(objects.filter(({ unknown }) => unknown !== 'kept')).toEqual([])
  })

  it('refuses requests with members that it does not know, but in documents of other people’s software', () => {
    const objects = routes.flatMap(({ operation }) =>
      operation.body && !operation.parse ? objectsIn(operation.body, operation.id) : [],
    )
    expect(objects.filter(({ unknown }) => unknown !== 'refused' && unknown !== 'foreign')).toEqual([])
  })
}

function objectsIn(schema: Schema, path: string): FoundObject[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'lazy') throw new Error(`${path} is lazy: answerSchema does not derive it`)
  const below = innerSchemas(schema).flatMap(([name, inner]) =>
    objectsIn(inner, name === null ? path : `${path}.${name}`),
  )
  return def.type === 'object' ? [{ path, unknown: unknownMembersOf(def.catchall) }, ...below] : below
}

function unknownMembersOf(catchall: Schema | undefined): FoundObject['unknown'] {
  if (catchall === undefined) return 'dropped'
  if (catchall === FOREIGN_MEMBERS) return 'foreign'
  return (catchall as z.core.$ZodTypes)._zod.def.type === 'never' ? 'refused' : 'kept'
}

/** No identifier of the platform is this. */
const NOBODY = '\0'

/** Whatever a path names and nothing has is 404; only an identifier with a published form can be malformed. */
export function pathBattery(prober: Prober): void {
  for (const { operation, gate } of prober.service.routes) {
    const method = operation.method.toUpperCase()
    // What is switched off is the same for every path.
    if (gate || !operation.params) continue
    for (const [name, schema] of Object.entries((operation.params as z.ZodObject).shape)) {
      // A handler reads these itself.
      if ((schema as z.ZodType).safeParse(NOBODY).success) continue
      const expected = refusalOf(operation, name, schema as z.ZodType)
      it(`${method} ${operation.path} is ${expected} where {${name}} cannot be one`, async () => {
        const { path, headers } = await prober.callFor(operation, { [name]: NOBODY })
        expect(path).toContain(encodeURIComponent(NOBODY))
        expectRefusal(await prober.send({ method, path, headers }), expected)
      })
    }
  }
}

function refusalOf({ owner, unknown = 'not_found' }: Operation, name: string, schema: z.ZodType) {
  if (owner === name) return 'owner_mismatch'
  return hasPublishedForm(schema) ? 'invalid_request' : unknown
}
