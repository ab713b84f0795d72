import { answerSchema } from '@svc/protocol/http/answer-schema'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { answersOf } from '../openapi/answers.ts'
import { innerSchemas } from './later-members.ts'
import type { Prober } from './prober.ts'

type Schema = z.core.$ZodType

interface FoundObject {
  readonly path: string
  /** What happens to a member that the schema does not name. */
  readonly unknown: 'refused' | 'kept' | 'dropped'
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

  // Browsers add results of passkey extensions on their own.
  it('refuses requests with members that it does not know', () => {
    const objects = routes.flatMap(({ operation }) =>
      operation.body && !operation.parse ? objectsIn(operation.body, operation.id) : [],
    )
    const ours = objects.filter(({ path }) => !path.includes('.clientExtensionResults'))
    expect(ours.filter(({ unknown }) => unknown !== 'refused')).toEqual([])
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
  return (catchall as z.core.$ZodTypes)._zod.def.type === 'never' ? 'refused' : 'kept'
}
