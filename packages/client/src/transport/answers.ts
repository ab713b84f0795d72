/**
 * Reads the answers of services by their schemas. Loaded with the first answer: the schema library is half of what a
 * client would load otherwise.
 *
 * @module
 */

import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import type { PendingChange } from '#protocol/chain/pending'
import type { StandingChange } from '#protocol/chain/watch'
import { readAnswer } from '../verification/read-answer.ts'

export { readAnswer } from '../verification/read-answer.ts'

const successSchema = /* @__PURE__ */ pure(() => z.object({ success: z.literal(true), data: z.unknown() }))

export interface Data<T> {
  readonly data: T
  /** Undefined if answers of this form do not tell what is pending. */
  readonly pending: PendingChange | null | undefined
  /** Changes of standing. Empty unless responses of this form report pending changes. */
  readonly changes: readonly StandingChange[]
}

type Told = Pick<Data<unknown>, 'changes'> & { readonly pending: PendingChange | null }

/** The `data` of a success envelope. */
export function readData<S extends z.ZodType>(schema: S, body: unknown): Data<z.output<S>> {
  const { data } = readAnswer(successSchema, body)
  const answer = readAnswer(schema, data)
  if (!(schema instanceof z.ZodObject && 'pending' in schema.shape))
    return { data: answer, pending: undefined, changes: [] }
  // Schemas get both members from `pendingMember`. If a response omits them, nothing is pending.
  const { pending = null, changes = [] } = answer as Partial<Told>
  return { data: answer, pending, changes }
}
