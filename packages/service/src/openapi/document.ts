/**
 * The OpenAPI 3.1 document, generated from the mounted routes when a deployment is built. No Worker carries this module.
 *
 * @module
 */
import { OpenAPIHono } from '@hono/zod-openapi'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { WATCH_HEADER } from '@svc/protocol/chain/watch'
import { SOCKET_PROTOCOL, TICKET_HEADER } from '@svc/protocol/events/socket'
import { errorEntry } from '@svc/protocol/http/errors'
import { classify } from '@svc/rate-limit'
import type * as z from 'zod'
import { NO_CONTENT } from '../app/declared-answers.ts'
import type { ServiceDescription } from '../app/description.ts'
import {
  DEFAULT_MAX_BODY_BYTES,
  mayTakeAssertion,
  type Operation,
  SIGNATURE_HEADER,
  type TokenHeader,
} from '../app/operation.ts'
import { IDEMPOTENCY_HEADERS } from '../request/idempotency.ts'
import { budgetOf } from '../request/json-budget.ts'
import { answersOf, mayRedirect, REDIRECT_ANSWER } from './answers.ts'
import { exampleOf } from './examples.ts'
import { HEADERS, headersOf } from './headers.ts'
import { answerName, type RecordedExamples } from './recorded.ts'
import { repaired } from './repaired.ts'
import { tagDescription, tagOf } from './tags.ts'

const RAW = { schema: { type: 'string' as const, format: 'binary' } }

export type ApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** Of a `ServiceApp`, what its document tells. This module is typed without the globals of Workers, for the tools. */
interface DescribedService {
  readonly description: ServiceDescription
  readonly routes: readonly { readonly operation: Operation }[]
}

/** A service, and the examples that were recorded for it. */
interface Described extends ServiceDescription {
  readonly examples: RecordedExamples
}

/** Generated clients send `bearer` as `Bearer`, under which services take an assertion too. */
const ASSERTION_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'ServiceAssertion',
  description:
    'The token is `<payload>.<signature>`, both base64url: a signed, single-use statement by the caller’s ML-DSA-65 key for ' +
    'exactly one request. The name of the scheme is `ServiceAssertion`; `Bearer`, which generated clients send, is taken too.',
} as const
const INTERNAL_SCHEME = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Svc-Internal',
  description: 'The secret shared by the Workers of one deployment; only over service bindings.',
} as const
const SIGNATURE_SCHEME = {
  type: 'apiKey',
  in: 'header',
  name: SIGNATURE_HEADER,
  description:
    'ML-DSA-65 signature as base64url, over the base64url text of the canonical JSON that the route describes.',
} as const

const REDIRECT_RESPONSE = {
  description: REDIRECT_ANSWER.description,
  headers: {
    Location: { description: 'The address on the canonical host', schema: { type: 'string', format: 'uri' } },
    'X-Request-ID': { $ref: '#/components/headers/RequestId' },
  },
} as const

/** The description of a service from the routes that it mounts, with the examples of its `examples.json`. */
export function documentOf({ description, routes }: DescribedService, examples: RecordedExamples = {}): ApiDocument {
  const described = { ...description, examples }
  const documented = new OpenAPIHono()
  const registry = documented.openAPIRegistry
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header)
  const auths = new Set(routes.map(({ operation }) => operation.auth))
  if (auths.has('internal')) registry.registerComponent('securitySchemes', 'SvcInternal', INTERNAL_SCHEME)
  if (auths.has('signature')) registry.registerComponent('securitySchemes', 'SvcSignature', SIGNATURE_SCHEME)
  if (routes.some(({ operation }) => mayTakeAssertion(operation))) {
    registry.registerComponent('securitySchemes', 'ServiceAssertion', ASSERTION_SCHEME)
  }
  for (const header of new Set(routes.flatMap(({ operation }) => [operation.tokenHeader, operation.optionalToken]))) {
    if (header) registry.registerComponent('securitySchemes', schemeOf(header), tokenScheme(header))
  }
  if (routes.some(({ operation }) => mayRedirect(description, operation.method)))
    registry.registerComponent('responses', REDIRECT_ANSWER.component, REDIRECT_RESPONSE)
  for (const { operation } of routes) {
    register(registry, described, operation, operation.method)
    if (operation.documentsHead) register(registry, described, { ...operation, id: `${operation.id}Head` }, 'head')
  }
  const tags = [...new Set(routes.map(({ operation }) => tagOf(operation.path)))]
  return repaired(
    documented.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: description.title,
        version: description.version,
        description: description.summary,
        contact: { name: 'The operator of this deployment' },
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      // Relative to the document: every deployment, and every alias of its hosts, serves its own.
      servers: [{ url: '/', description: 'The host that serves this document' }],
      tags: tags.map((name) => ({ name, description: tagDescription(description.service, name) })),
      ...retiredOf(description),
    }),
  )
}

function register(
  registry: OpenAPIHono['openAPIRegistry'],
  description: Described,
  operation: Operation,
  method: Operation['method'] | 'head',
): void {
  registry.registerPath({
    method,
    path: operation.path,
    operationId: operation.id,
    tags: [tagOf(operation.path)],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...securityOf(operation),
    request: {
      ...(operation.params ? { params: operation.params as z.ZodObject } : {}),
      ...(operation.query ? { query: operation.query as z.ZodObject } : {}),
      ...(operation.idempotencyKey ? { headers: IDEMPOTENCY_HEADERS[operation.idempotencyKey] } : {}),
      ...(operation.body
        ? {
            body: {
              required: !operation.isBodyOptional,
              content: { 'application/json': jsonBodyOf(description, operation.id, operation.body) },
            },
          }
        : {}),
      ...rawBodyOf(operation),
    },
    responses: {
      ...responsesOf(description, operation, method !== 'head'),
      ...(mayRedirect(description, method)
        ? { [REDIRECT_ANSWER.status]: { $ref: `#/components/responses/${REDIRECT_ANSWER.component}` } }
        : {}),
    },
    ...extensionsOf(description, operation),
  })
}

const jsonBodyOf = ({ examples }: Described, id: string, schema: z.ZodType) => ({
  schema,
  ...exampleOf(examples, id, 'request'),
})

/** Bytes, buffered or streamed. A streamed body may be omitted if the query says so. */
function rawBodyOf({ rawBody, streamBody }: Operation) {
  const types = rawBody ?? streamBody?.types
  if (!types) return {}
  return { body: { required: !streamBody, content: Object.fromEntries(types.map((type) => [type, RAW])) } }
}

/** Answers with the same status share an entry; each media type has its schema. */
function responsesOf(description: Described, operation: Operation, hasBody: boolean) {
  const byStatus = Map.groupBy(answersOf(description, operation), ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, answers]) => [
      status,
      {
        description: [...new Set(answers.map((answer) => answer.description.replace(/\.$/, '')))].join('. '),
        headers: headersOf(status, operation, answers),
        ...(hasBody && !answers.every(({ contentType }) => contentType === NO_CONTENT)
          ? {
              content: Object.fromEntries(
                answers.map(({ contentType, schema, example }) => [
                  contentType,
                  {
                    schema: schema ?? { type: 'string' as const },
                    ...(example === undefined
                      ? exampleOf(description.examples, operation.id, answerName(status, contentType))
                      : { example }),
                  },
                ]),
              ),
            }
          : {}),
      },
    ]),
  )
}

/** Paths that return 410 for any method. With a trailing slash, a path stands for itself and everything below it. */
function retiredOf({ retired = [] }: ServiceDescription) {
  if (retired.length === 0) return {}
  return { 'x-retired': retired.map(({ path, error }) => ({ path, status: errorEntry(error).status, error })) }
}

const OFFER_TOKEN = 'The token of one offer: 256 random bits as base64url, shown to the joining device.'
const TOKENS: Readonly<Record<TokenHeader, string>> = {
  'X-Pairing-Token': OFFER_TOKEN,
  'X-Offer-Token': OFFER_TOKEN,
  [WATCH_HEADER]: 'A watch token of one identity: 256 random bits as base64url, created by its owner.',
  [SESSION_HEADER]: 'The token of a session of the sign-in service, which no other service takes.',
  [TICKET_HEADER]: `The value is \`${SOCKET_PROTOCOL}, svc.ticket.<ticket>\`: the subprotocols that a WebSocket offers.`,
}

function tokenScheme(name: TokenHeader) {
  return { type: 'apiKey', in: 'header', name, description: TOKENS[name] } as const
}

/** `X-Pairing-Token` is the scheme `PairingToken`. */
const schemeOf = (header: TokenHeader) =>
  header === TICKET_HEADER ? 'SocketTicket' : header.replace(/^X-/, '').replaceAll('-', '')

function securityOf({ auth, tokenHeader, optionalToken }: Operation) {
  const token = tokenHeader ? [{ [schemeOf(tokenHeader)]: [] }] : []
  const more = optionalToken ? [{ [schemeOf(optionalToken)]: [] }] : []
  switch (auth) {
    case 'token':
      return { security: token }
    case 'assertion-or-token':
      return { security: [{ ServiceAssertion: [] }, ...token] }
    case 'none':
      return { security: [] }
    case 'assertion':
    case 'assertion-with-work':
      return { security: [{ ServiceAssertion: [] }] }
    case 'optional-assertion':
      return { security: [{ ServiceAssertion: [] }, ...more, {}] }
    case 'signature':
      return { security: [{ SvcSignature: [] }] }
    case 'internal':
      return { security: [{ SvcInternal: [] }] }
  }
}

/** What OpenAPI has no keyword for: audience, device capability, limits and caps. */
function extensionsOf({ service }: ServiceDescription, operation: Operation): Record<`x-${string}`, unknown> {
  const method = operation.method.toUpperCase()
  const tier = operation.auth === 'internal' ? null : classify(service, method, operation.path)
  return {
    ...(mayTakeAssertion(operation)
      ? { 'x-audience': operation.audiences, 'x-device-capability': operation.capability }
      : {}),
    'x-rate-limit': {
      window: 60,
      tier: tier?.tier ?? null,
      tierLimit: tier?.limit ?? null,
      ...(operation.limit
        ? {
            routeLimit: operation.limit.limit,
            routeCounter: operation.limit.counter,
            routeProtects: operation.limit.protects,
            ...(operation.limit.under === undefined ? {} : { routeUnder: operation.limit.under }),
          }
        : {}),
      ...(operation.window ? { routeWindow: operation.window } : {}),
      ...(operation.callerWindow ? { callerWindow: operation.callerWindow } : {}),
      ...(operation.handlerWindows ? { handlerWindows: operation.handlerWindows } : {}),
      ...(operation.callerTiers ? { callerTiers: operation.callerTiers } : {}),
    },
    ...(operation.body || operation.rawBody || operation.streamBody
      ? { 'x-max-body-bytes': operation.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES }
      : {}),
    ...(operation.body
      ? { 'x-json-budget': budgetOf(operation.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, operation.budget) }
      : {}),
  }
}
