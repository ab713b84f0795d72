/**
 * Collections above a documented cap: 413, with the name of the collection and its cap, whatever else is wrong with the
 * body. A list of a fixed length, such as a vector, has a form and no cap: any other length is 400.
 *
 * @module
 */
import type { ErrorName } from '@svc/protocol/http/errors'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { issuesOf } from './issues.ts'
import { plainIssues } from './plain-issues.ts'
import { holds } from './schema-parts.ts'

/** A collection by its place in the request, and how many items it can have. */
export interface CappedCollection {
  readonly collection: string
  readonly limit: number
}

export function hasCappedCollection(schema: z.ZodType): boolean {
  return holds(schema, isCapped)
}

function isCapped(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodArray && (schema.def.checks ?? []).some(({ _zod }) => _zod.def.check === 'max_length')
}

/** The refusal of a collection that is too long. Names of their own say in their text what to do. */
export function collectionError({ collection, limit }: CappedCollection, name: ErrorName = 'too_many_items'): ApiError {
  const message = `${collection}: can have at most ${limit.toLocaleString('en')} items; send fewer`
  return new ApiError(name, { details: { collection, limit }, ...(name === 'too_many_items' && { message }) })
}

/** The refusal of a value that its schema does not take. */
export function refusalOf(target: string, error: z.core.$ZodError, tooMany?: ErrorName): ApiError {
  const excess = plainIssues(error.issues).find(isTooLong)
  if (!excess) return new ApiError('invalid_request', { message: issuesOf(target, error) })
  return collectionError({ collection: [target, ...excess.path].join('.'), limit: Number(excess.maximum) }, tooMany)
}

function isTooLong(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueTooBig {
  return issue.code === 'too_big' && issue.origin === 'array' && issue.exact !== true
}
