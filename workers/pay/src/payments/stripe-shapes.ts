/**
 * Parts of Stripe's objects that several events share.
 *
 * @module
 */
import { isDid } from '@svc/protocol/base/identity'
import * as z from 'zod'

export const secondsSchema = z.int().min(0)
export const nameSchema = z.string().min(1).max(255)

/** A reference: an id, or the object itself where it was expanded. */
export const refSchema = z.union([nameSchema, z.looseObject({ id: nameSchema }).transform(({ id }) => id)])

const ownedSchema = z.looseObject({ metadata: z.looseObject({ did: z.string() }) })

/** Whether an object carries our metadata: only the holder of the secret key can write it. */
export function isOurs(object: unknown): boolean {
  const owned = ownedSchema.safeParse(object).data
  return owned !== undefined && isDid(owned.metadata.did)
}

/** The paths of what is wrong, without values. */
export function faultsOf({ issues }: z.core.$ZodError): string {
  const paths = issues.map(({ path }) => path.map(String).join('.'))
  return [...new Set(paths)].slice(0, 5).join(', ')
}
