/**
 * The place of a statement in the history of its signer (workers/docs/pages/developer/statements.md, “Order”): the newest
 * event of the inception log that the signer knew.
 *
 * A time is the word of its writer. An event cannot be named before it exists, so what names one is later than it.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { pure } from './pure.ts'

export interface InceptionHead {
  readonly sequence: number
  readonly hash: string
}
export const inceptionHeadSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ sequence: z.int().min(0), hash: hashSchema }).meta({
    id: 'InceptionHead',
    description: 'Newest event of the log; sequence 0 and the genesis hash if the log is empty',
  }),
)

/** The member `inception` of every statement of ours that a root key or a device signs. */
export const knownInceptionSchema = /* @__PURE__ */ pure(() =>
  inceptionHeadSchema.nullable().meta({
    description:
      'Newest event of the signer’s inception log that the signer knew, or the genesis block; null if it knew neither',
  }),
)
export type KnownInception = InceptionHead | null

/** Returns the newer head; if both are equally new, the first. */
export function newerHead(one: KnownInception, other: KnownInception): KnownInception {
  return isOlderHead(one, other) ? other : one
}

/** Whether one names an older head than the other. Nothing is older than what was signed without knowing the log. */
export function isOlderHead(one: KnownInception, other: KnownInception): boolean {
  return (one?.sequence ?? -1) < (other?.sequence ?? -1)
}
