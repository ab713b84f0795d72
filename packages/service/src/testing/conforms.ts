/**
 * Holds a response to what the service declares: the operation's own answers where its template matches, and else
 * the refusals that every path can give.
 *
 * @module
 */
import { answerSchema } from '@svc/protocol/http/answer-schema'
import { tierErrorSchema } from '@svc/protocol/http/envelope'
import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import { expect } from 'vitest'
import * as z from 'zod'
import type { DeclaredAnswer } from '../app/declared-answers.ts'
import type { Operation } from '../app/operation.ts'
import type { ServiceApp } from '../app/service.ts'
import { areaLimits } from '../limits/areas.ts'
import { answersOf, errorsOf, REDIRECT_ANSWER, refusalPageAnswer } from '../openapi/answers.ts'
import { type Aliases, canonicalUrlOf } from '../request/aliases.ts'
import { retiredMatcher, templatePattern } from '../request/retired.ts'
import { withLaterMembers } from './later-members.ts'

type Described = Pick<ServiceApp, 'description' | 'routes'>

/** The documentation host must send them; the others have no reason not to. */
const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
}
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Which host was asked, and which aliases the deployment has; without it no read may be redirected. */
export interface Hosting {
  readonly origin: string
  readonly aliases: Aliases
}

/** Asserts that a response is one that the service declares for this method and path, and returns its parsed body. */
export async function conforms(
  service: Described,
  response: Response,
  { method, path }: { readonly method: string; readonly path: string },
  hosting?: Hosting,
): Promise<unknown> {
  const text = new TextDecoder().decode(await response.arrayBuffer())
  const told = `${method} ${path} → ${response.status} ${text.slice(0, 300)}`
  expectHeaders(response.headers, told)
  // A preflight, and the methods of a path for a request that is none.
  if (method === 'OPTIONS' && response.status === (response.headers.has('allow') ? 200 : 204)) {
    expect(text, told).toBe('')
    return undefined
  }
  expect(response.headers.get('cache-control'), told).toBeTruthy()
  if (response.status === REDIRECT_ANSWER.status) {
    const canonical = hosting && canonicalUrlOf({ method, url: hosting.origin + path }, hosting.aliases)
    expect(canonical, `${told}: no alias redirects`).toBeTruthy()
    expect(response.headers.get('location'), told).toBe(canonical)
    expect(text, told).toBe('')
    return undefined
  }
  const operation = operationAt(service, method, path)
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const answers = operation ? answersOf(service.description, operation) : refusalsOf(service, method, path)
  const declared = answers.filter(({ status, contentType }) => status === response.status && contentType === type)
  expect(declared.length, `${told} (${type}) is not declared`).toBeGreaterThan(0)
  if (method === 'HEAD' || response.status === 304) {
    expect(text, told).toBe('')
    return method === 'HEAD' ? undefined : text
  }
  if (!/^application\/(?:json|did)/.test(type)) return text
  const body: unknown = JSON.parse(text)
  expectSchema(declared, body, told)
  expectName(service, operation, response.status, body, told)
  return body
}

/** The named error of a failure, in whichever shape it travels; undefined where the body names none. */
export function errorNameOf(body: unknown): unknown {
  const { error, details } = (body ?? {}) as { error?: unknown; details?: { error?: unknown } }
  return error ?? details?.error
}

/** The operation that serves a path; HEAD is served by GET. */
export function operationAt({ description, routes }: Described, method: string, path: string): Operation | undefined {
  if (retiredMatcher(description.retired ?? [])(path)) return undefined
  const served = method === 'HEAD' ? 'get' : method.toLowerCase()
  return routes.find(({ operation }) => operation.method === served && templatePattern(operation.path).test(path))
    ?.operation
}

function expectHeaders(headers: Headers, told: string): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name), told).toBe(value)
  expect(headers.get('content-security-policy'), told).toContain("default-src '")
  expect(headers.get('x-request-id'), told).toMatch(UUID)
}

/** What an unknown path may answer. */
function refusalsOf({ description, routes }: Described, method: string, path: string): DeclaredAnswer[] {
  const gone = retiredMatcher(description.retired ?? [])(path)
  const unmatched: ErrorName[] = description.hidesMethods ? ['Not found'] : ['not_found', 'method_not_allowed']
  const names: ErrorName[] = gone ? [gone.error] : unmatched
  if (!gone && description.origins(method, path) !== 'none') names.push('cors_denied')
  const refusals = names.map((name) => ({
    status: errorEntry(name).status,
    description: name,
    contentType: 'application/json',
    schema: description.shape.failureSchema(name, path),
  }))
  const limitSchema = areaLimits(routes)(path)
    ? z.union([tierErrorSchema, description.shape.failureSchema('rate_limited', path)])
    : tierErrorSchema
  const pages = (description.refusalPages ?? [])
    .filter((status) => refusals.some((refusal) => refusal.status === status))
    .map(refusalPageAnswer)
  return [
    ...refusals,
    ...pages,
    { status: 429, description: 'limit', contentType: 'application/json', schema: limitSchema },
  ]
}

function expectSchema(declared: readonly DeclaredAnswer[], body: unknown, told: string): void {
  const schemas = declared.flatMap(({ schema }) => (schema ? [schema] : []))
  if (schemas.length === 0) return
  const faults = schemas.map((schema) => schema.safeParse(body).error?.message)
  expect(faults.includes(undefined), `${told}: ${faults.join('; ')}`).toBe(true)
  const later = schemas.map((schema) => answerSchema(schema).safeParse(withLaterMembers(schema, body)).error?.message)
  expect(later.includes(undefined), `${told}, with members of a later version: ${later.join('; ')}`).toBe(true)
}

/** A failure names an error that its operation declares for that status. */
function expectName(
  { description }: Described,
  operation: Operation | undefined,
  status: number,
  body: unknown,
  told: string,
): void {
  const name = errorNameOf(body)
  if (status < 400 || status === 429 || !operation || typeof name !== 'string') return
  const names = errorsOf(description, operation).filter((declared) => errorEntry(declared).status === status)
  expect(names, told).toContain(name)
}
