/**
 * Every answer of an operation, by status: those it declares and those that follow from its properties. The OpenAPI
 * document and the tests that check responses against it both read this.
 *
 * @module
 */
import { tierErrorSchema } from '@svc/protocol/http/envelope'
import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import * as z from 'zod'
import type { DeclaredAnswer } from '../app/declared-answers.ts'
import type { ServiceDescription } from '../app/description.ts'
import { type Operation, takesAssertion } from '../app/operation.ts'
import { hasCappedCollection } from '../refusals/collections.ts'
import { hasForms, hasNames } from '../request/path-parameters.ts'
import { carriesStatements } from '../request/realms.ts'
import { errorExample } from './examples.ts'

/**
 * What any read may also answer on a host that the deployment made a redirecting alias, and nowhere else
 * (`aliases.ts`). The document has it once, as a component of this name, and each read refers to it.
 */
export const REDIRECT_ANSWER = {
  status: 301,
  component: 'CanonicalHost',
  description:
    'Only if the host is an alias that this deployment redirects: the same path and query on the canonical host. ' +
    'Follow it once. There is no body',
} as const

/** A read on the public hosts. */
export function mayRedirect({ isInternal }: Pick<ServiceDescription, 'isInternal'>, method: string): boolean {
  return isInternal !== true && (method === 'get' || method === 'head')
}

export function errorsOf(description: ServiceDescription, operation: Operation): ErrorName[] {
  const { refusals } = description
  const names = new Set<ErrorName>(['internal_error', ...(operation.errors ?? [])])
  if (operation.auth === 'internal') names.add('forbidden')
  else names.add('rate_limited')
  if (description.origins(operation.method.toUpperCase(), operation.path) !== 'none') names.add('cors_denied')
  if (operation.window || operation.callerWindow || operation.handlerWindows || operation.callerTiers)
    names.add('dependency_unavailable')
  if (hasForms(operation) || operation.query || operation.body || operation.idempotencyKey) names.add('invalid_request')
  if (hasNames(operation)) names.add(operation.unknown ?? 'not_found')
  if (operation.body || operation.rawBody || operation.streamBody) {
    names.add('payload_too_large').add('unsupported_media_type')
  }
  if (operation.body && carriesStatements(operation.body)) names.add('wrong_realm')
  if (operation.body && hasCappedCollection(operation.body)) names.add(operation.tooMany ?? 'too_many_items')
  if (operation.malformed) names.add(operation.malformed)
  if (operation.tooMany) names.add(operation.tooMany)
  if (operation.owner !== undefined) names.add('owner_mismatch')
  if (operation.consumes) names.add('method_not_allowed')
  if (operation.auth === 'signature') names.add('signature_required')
  if (operation.tokenHeader) names.add('token_required').add('token_rejected')
  if (refusals && takesAssertion(operation)) {
    names.add(refusals.missing).add(refusals.rejected).add(refusals.audience).add(refusals.replay)
    names.add('assertion_expired').add('assertion_not_yet_valid').add('assertion_too_long')
    names.add('device_keys_disabled').add('capability_required').add('dependency_unavailable')
    if (description.service !== 'core') names.add('device_index_unavailable').add('attestation_unverifiable')
    const nonce = refusals.nonceForm?.(operation.path)
    if (nonce) names.add(nonce.error)
  }
  return [...names]
}

export function answersOf(description: ServiceDescription, operation: Operation): DeclaredAnswer[] {
  const { answer } = operation
  const { status, description: described, headers = {} } = answer
  const success: DeclaredAnswer = answer.schema
    ? {
        status,
        description: described,
        headers,
        contentType: 'application/json',
        schema: answer.bare ? answer.schema : description.shape.successSchema(answer.schema),
      }
    : { status, description: described, headers, contentType: answer.contentType }
  const byStatus = Map.groupBy(errorsOf(description, operation), (name) => errorEntry(name).status)
  const failures = [...byStatus].map(([failed, names]) => ({
    status: failed,
    description: names.map((name) => `\`${name}\`: ${errorEntry(name).text}`).join('. '),
    contentType: 'application/json',
    schema: failureSchema(description, operation, failed, names),
    ...(names[0] === undefined ? {} : { example: errorExample(description, names[0], operation.path) }),
  }))
  const pages = (description.refusalPages ?? []).filter((failed) => byStatus.has(failed)).map(refusalPageAnswer)
  return [success, ...(operation.otherAnswers ?? []), ...failures, ...pages].toSorted((a, b) => a.status - b.status)
}

/** The same error for clients that prefer HTML. */
export function refusalPageAnswer(status: number): DeclaredAnswer {
  return { status, description: 'A page, if Accept prefers `text/html`', contentType: 'text/html' }
}

function failureSchema(description: ServiceDescription, operation: Operation, status: number, names: ErrorName[]) {
  // Of the route, or counted by its handler, which declares the name.
  const isCounted = operation.errors?.includes('rate_limited') === true
  const ownLimit = operation.limit !== undefined || operation.window !== undefined || isCounted
  const schemas = new Set<z.ZodType>(status === 429 ? [tierErrorSchema] : [])
  if (status !== 429 || ownLimit) {
    for (const name of names) schemas.add(description.shape.failureSchema(name, operation.path))
  }
  const [first, ...rest] = schemas
  if (!first) throw new Error(`${operation.id}: no schema for ${status}`)
  return rest.length === 0 ? first : z.union([first, ...rest])
}
