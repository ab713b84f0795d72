/**
 * Path parameters. One whose form is part of the interface (a DID, an asset id, a content hash) is 400 in any other form.
 * Any other names something or nothing: in a form that nothing has, it is the 404 of an unknown one, before a store or
 * an object is asked.
 *
 * @module
 */
import { hasPublishedForm } from '@svc/protocol/http/path-forms'
import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import type { Operation } from '../app/operation.ts'
import { issuesOf } from '../refusals/issues.ts'

type Params = NonNullable<Operation['params']>

const shapeOf = (params: Params): Readonly<Record<string, z.ZodType>> => (params as z.ZodObject).shape

/** Whether a path can be malformed. */
export function hasForms({ params }: Pick<Operation, 'params'>): boolean {
  return params !== undefined && Object.values(shapeOf(params)).some(hasPublishedForm)
}

/** Whether a path can name nothing by its form alone. */
export function hasNames({ params }: Pick<Operation, 'params'>): boolean {
  return params !== undefined && Object.values(shapeOf(params)).some((schema) => !hasPublishedForm(schema))
}

/** No identifier of the platform is this. */
const NAMES_NOTHING = '\0'

/** `pathname` is the path as sent: a value with an escape that does not decode names nothing, and is not read as text. */
export function acceptPath(
  { unknown }: Pick<Operation, 'unknown'>,
  params: Params,
  values: Readonly<Record<string, string>>,
  pathname: string,
): object {
  const parsed = params.safeParse(isDecodable(pathname) ? values : withoutText(values))
  if (parsed.success) return parsed.data
  const shape = shapeOf(params)
  const isMalformed = parsed.error.issues.some(({ path: [name] }) => {
    const schema = shape[String(name)]
    return schema !== undefined && hasPublishedForm(schema)
  })
  throw isMalformed
    ? new ApiError('invalid_request', { message: issuesOf('path', parsed.error) })
    : new ApiError(unknown ?? 'not_found')
}

function withoutText(values: Readonly<Record<string, string>>): Record<string, string> {
  const read = Object.entries(values).map(
    ([name, value]) => [name, isDecodable(value) ? value : NAMES_NOTHING] as const,
  )
  return Object.fromEntries(read)
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname)
    return true
  } catch {
    return false
  }
}
