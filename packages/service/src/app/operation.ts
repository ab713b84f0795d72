/**
 * One operation of a public or internal API: everything about a route except the work itself. The pipeline, the OpenAPI
 * document, the limits and the tests all read this declaration.
 *
 * @module
 */
import type { Audience, Caller, RouteCapability } from '@svc/assertion'
import type { SESSION_HEADER } from '@svc/protocol/auth/session'
import type { Result } from '@svc/protocol/base/result'
import type { WATCH_HEADER } from '@svc/protocol/chain/watch'
import type { TICKET_HEADER } from '@svc/protocol/events/socket'
import type { ErrorName } from '@svc/protocol/http/errors'
import type { Service } from '@svc/rate-limit'
import type * as z from 'zod'
import type { ApiError } from '../answer/api-error.ts'
import type { JsonText } from '../answer/json-text.ts'
import type { UnspentAssertion } from '../auth/gate.ts'
import type { CallerTiers, RouteLimit, Window } from '../limits/declared-limits.ts'
import type { JsonBudget } from '../request/json-budget.ts'
import type { DeclaredAnswer, OperationAnswer } from './declared-answers.ts'

/** 256 KiB unless a route declares another limit. */
export const DEFAULT_MAX_BODY_BYTES = 256 * 1024

export type Method = 'get' | 'post' | 'put' | 'delete'

/**
 * The credential of a caller: `assertion` is spent before the work starts, `assertion-with-work` in the same object call
 * as the work, `optional-assertion` only selects a tier, `token` is the one in the operation's header,
 * `assertion-or-token` is either, `signature` is a detached one over the request, verified by the handler, and
 * `internal` is the secret of a sibling Worker.
 */
export type Auth =
  | 'none'
  | 'assertion'
  | 'assertion-with-work'
  | 'optional-assertion'
  | 'token'
  | 'assertion-or-token'
  | 'signature'
  | 'internal'

type IdempotencyKeyOf<K> = K extends 'required' ? string : K extends 'optional' ? string | null : undefined

interface OperationFacts {
  /** The OpenAPI operationId, which is also the name of the constant. */
  readonly id: string
  readonly method: Method
  /** OpenAPI template: `/api/genesis/{did}`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** On top of the tier. */
  readonly limit?: RouteLimit
  /** An exact limit per address over a longer window, counted once the request has passed its schemas; see `AddressWindow`. */
  readonly window?: Window
  /** An exact limit per DID of the caller, from any address, counted once the assertion is spent. */
  readonly callerWindow?: Window & { readonly tier: string }
  /** A limit per 60 seconds that an optional assertion replaces by another, counted before the body is read. */
  readonly callerTiers?: CallerTiers
  /** Exact limits that the handler counts itself, by what it protects. */
  readonly handlerWindows?: readonly Window[]
  /** The 404 of a path that names nothing, if it is not `not_found`. */
  readonly unknown?: ErrorName
  /** The path parameter that must be the caller’s own DID. */
  readonly owner?: string
  readonly params?: z.ZodType<object, Record<string, unknown>>
  readonly query?: z.ZodType<object, Record<string, unknown>>
  readonly body?: z.ZodType
  /** Whether a request may come without the body; the handler gets `undefined` then. */
  readonly isBodyOptional?: true
  /** Requires the header Idempotency-Key, or takes it: the same key means the same request. */
  readonly idempotencyKey?: 'required' | 'optional'
  /** A token that lets its holder see more. Without a valid token, the response is the public one. */
  readonly optionalToken?: TokenHeader
  /** Checks a JSON body before its schema does, for errors with a name of their own. */
  readonly screen?: (body: unknown) => ApiError | null
  /**
   * Parses a JSON body instead of its schema, which then only documents it: for routes whose order and texts of errors
   * are fixed. The handler gets its result.
   */
  readonly parse?: (body: unknown) => Result<unknown, ApiError>
  /** The error for a body that is not JSON, if it is not `invalid_request`. */
  readonly malformed?: ErrorName
  /** The media types of a body that is not JSON. The handler gets its bytes. */
  readonly rawBody?: readonly [string, ...string[]]
  /** A streamed body. The query names its hash, which a `bodyHash` claim must equal. */
  readonly streamBody?: { readonly types: readonly [string, ...string[]]; readonly hashParameter: string }
  readonly maxBodyBytes?: number
  /** What a JSON body may hold, counted before it is parsed; by default what its limit in bytes allows (`budgetOf`). */
  readonly budget?: Partial<JsonBudget>
  /** The error for a body that holds more, if it is not `payload_too_large`: that of the collection that is too long. */
  readonly tooMany?: ErrorName
  readonly answer: OperationAnswer
  /** Answers besides success that the handler creates itself, such as a resolution result for an unknown DID. */
  readonly otherAnswers?: readonly DeclaredAnswer[]
  /** In addition to the errors of every route with these properties. */
  readonly errors?: readonly ErrorName[]
  /** Defaults to `no-store`. A function decides by what is returned and what was asked, and may leave it at the default. */
  readonly cacheControl?: string | ((answer: unknown, query: Readonly<Record<string, string>>) => string | undefined)
  /** What a GET uses up; null if nothing. HEAD is 405 then, because it would use that up without returning anything. */
  readonly consumes?: string | null
  /** A 404 names what was requested, which is public anyway. */
  readonly namesWhatIsMissing?: boolean
  /** The API description lists HEAD for it; every GET accepts HEAD anyway. */
  readonly documentsHead?: boolean
}

/** What a kind of credential requires. */
interface CredentialFacts {
  readonly tokenHeader: TokenHeader
  /** The audiences that an assertion may name: compared exactly, without wildcard or fallback. */
  readonly audiences: readonly [Audience, ...Audience[]]
  /** The capability a device key needs; the root key may use every route. */
  readonly capability: RouteCapability
  /** The sibling Workers that may call; every other one is refused. */
  readonly callers: readonly [Service, ...Service[]]
}

/** An operation with this kind of credential declares these facts and no others. */
type Credential<A extends Auth, Needed extends keyof CredentialFacts = never> = A extends Auth
  ? { readonly auth: A } & Pick<CredentialFacts, Needed> & {
        readonly [Other in Exclude<keyof CredentialFacts, Needed>]?: undefined
      }
  : never

/**
 * A token for one purpose may be used up by a GET, so a GET that takes one does not compile until it says what it consumes.
 * Tests ask the same of a GET that redirects or opens a socket.
 */
type Consumption =
  | { readonly method: 'get'; readonly tokenHeader: OfferHeader; readonly consumes: string | null }
  | { readonly method: 'get'; readonly tokenHeader?: typeof SESSION_HEADER | undefined }
  | { readonly method: Exclude<Method, 'get'>; readonly consumes?: undefined }

/** A route that takes assertions does not compile without its audiences and its device capability. */
export type Operation = OperationFacts &
  Consumption &
  (
    | Credential<'none' | 'signature'>
    | Credential<'internal', 'callers'>
    | Credential<'token', 'tokenHeader'>
    | Credential<'assertion' | 'assertion-with-work' | 'optional-assertion', 'audiences' | 'capability'>
    | Credential<'assertion-or-token', 'audiences' | 'capability' | 'tokenHeader'>
  )

/**
 * The token of pairing and the authorization relay, for a device that has no other credential yet, the session of the
 * sign-in service, which only that service accepts, the ticket for a WebSocket among its subprotocols, and the watch
 * token of an identity.
 */
export type TokenHeader = OfferHeader | typeof SESSION_HEADER | typeof WATCH_HEADER
type OfferHeader = 'X-Pairing-Token' | 'X-Offer-Token' | typeof TICKET_HEADER

export interface BodyStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly length: number
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type BodyOf<O extends Operation> = O['parse'] extends (body: unknown) => Result<infer T, ApiError>
  ? T
  : Parsed<O['body']> | (O['isBodyOptional'] extends true ? undefined : never)
type CallerOf<A extends Auth> = A extends 'assertion'
  ? Caller
  : A extends 'optional-assertion' | 'assertion-or-token'
    ? Caller | null
    : undefined
type TokenOf<A extends Auth> = A extends 'token' ? string : A extends 'assertion-or-token' ? string | null : undefined

/** The header with the credential of a consent write. */
export const SIGNATURE_HEADER = 'X-Svc-Signature'

/** What a handler gets; every member has passed its schema. */
export interface OperationRequest<O extends Operation, Deps> {
  readonly params: Parsed<O['params']>
  readonly query: Parsed<O['query']>
  readonly body: BodyOf<O>
  readonly bytes: O['rawBody'] extends readonly string[] ? Uint8Array : undefined
  /** At most `maxBodyBytes` long, by its declared length; null without a body. */
  readonly stream: O['streamBody'] extends object ? BodyStream | null : undefined
  readonly caller: CallerOf<O['auth']>
  /** Well-formed; the object decides whose it is. Null if an assertion came instead. */
  readonly token: TokenOf<O['auth']>
  /** As sent, not validated; null without the header. Undefined if the operation takes no such token. */
  readonly optionalToken: O['optionalToken'] extends TokenHeader ? string | null : undefined
  /** Only on `signature`: as sent, not validated. */
  readonly signature: O['auth'] extends 'signature' ? string : undefined
  /** Only on `assertion-with-work`: pass it to the object that does the work. */
  readonly assertion: O['auth'] extends 'assertion-with-work' ? UnspentAssertion : undefined
  /** Only on `internal`: the calling sibling. */
  readonly internalCaller: O['auth'] extends 'internal' ? Service : undefined
  /** Only if the operation takes it: 1 to 255 visible ASCII characters; null if an optional one was not sent. */
  readonly idempotencyKey: IdempotencyKeyOf<O['idempotencyKey']>
  readonly deps: Deps
  /** HEAD is handled as GET: skip building a large body then. */
  readonly isHead: boolean
  readonly now: number
  readonly requestId: string
  /** The caller's country as seen by the edge, ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null
  readonly headers: Headers
  /** Lets work continue after the answer was sent. It may be cancelled, so nothing may depend on it. */
  readonly background: (work: Promise<unknown>) => void
  /** Sets the reason in the log line for an answer that the handler creates itself. */
  readonly logReason: (reason: string) => void
}

/** The input of the schema; or a response, if there is no schema or the operation has other answers. */
export type OperationResult<O extends Operation> = O['answer'] extends { readonly schema: infer S extends z.ZodType }
  ? z.input<S> | JsonText | (O['otherAnswers'] extends readonly DeclaredAnswer[] ? Response : never)
  : Response

export type Handler<O extends Operation, Deps> = (
  request: OperationRequest<O, Deps>,
) => Promise<OperationResult<O>> | OperationResult<O>

/** What is known about a request before its query and body are read. */
export interface AuthorityRequest<O extends Pick<Operation, 'auth'>, Deps> {
  /** As in the path, not validated. */
  readonly path: Readonly<Record<string, string>>
  readonly caller: CallerOf<O['auth']>
  readonly deps: Deps
  readonly now: number
}

/** Rejects an unauthorized caller by throwing, before anything else of the request is read. */
export type Authorize<O extends Pick<Operation, 'auth'>, Deps> = (request: AuthorityRequest<O, Deps>) => Promise<void>

/** An operation with its handler, whose types were checked against each other when it was created. */
export interface Route<Deps> {
  readonly operation: Operation
  readonly handle: (request: never) => unknown
  readonly authorize?: ((request: never) => Promise<void>) | undefined
  readonly gate?: ((deps: never) => void) | undefined
  /** Never set; tells the type checker what the handler needs. */
  readonly needs?: (deps: Deps) => void
}

/** Operations whose credential is or may be an assertion. */
export type AssertedOperation = Extract<Operation, { readonly capability: RouteCapability }>

/** Whether an assertion is read, even if an invalid one only leaves the caller anonymous. */
export function mayTakeAssertion(operation: Operation): operation is AssertedOperation {
  return takesAssertion(operation) || operation.auth === 'optional-assertion'
}

/** Whether an assertion is or may be the credential, so that an invalid one is rejected. */
export function takesAssertion(
  operation: Operation,
): operation is Exclude<AssertedOperation, { readonly auth: 'optional-assertion' }> {
  const { auth } = operation
  return auth === 'assertion' || auth === 'assertion-with-work' || auth === 'assertion-or-token'
}

/** Declares an operation; `const` keeps its literal types for the handler. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation
}

/** Binds a handler to an operation. An answer of another shape than declared does not compile. */
export function route<Deps>() {
  return <O extends Operation>(
    operation: O,
    handle: Handler<O, Deps>,
    authorize?: Authorize<NoInfer<O>, Deps>,
  ): Route<Deps> => ({ operation, handle, authorize })
}

/**
 * Routes that a deployment can switch off. `gate` then throws, before credential and body are looked at, so that nothing
 * is spent.
 */
export function gated<Deps>(gate: (deps: Deps) => void, routes: readonly Route<Deps>[]): Route<Deps>[] {
  return routes.map((entry) => ({ ...entry, gate }))
}
