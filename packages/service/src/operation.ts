/**
 * One operation of a public or internal API: everything that is true of a route besides the work itself. The
 * pipeline, the OpenAPI document, the limits and the tests all read this declaration.
 *
 * @module
 */
import type { Caller } from '@svc/assertion'
import type { ErrorName } from '@svc/protocol/errors'
import type { Result } from '@svc/protocol/result'
import type { SESSION_HEADER } from '@svc/protocol/sign-in-session'
import type { Service } from '@svc/rate-limit'
import type * as z from 'zod'
import type { ApiError } from './api-error.ts'
import type { UnspentAssertion } from './gate.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/**
 * What a caller must show: `assertion` is spent before the work begins, `assertion-with-work` in the same object
 * call as the work, `optional-assertion` selects a tier only, `token` is the one that the operation names,
 * `assertion-or-token` is whichever is there, `signature` is a detached one over what the request says, which the
 * handler has verified, `internal` is the secret of a sibling Worker.
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

/** One thing that a route may answer, as the document and the tests see it. */
export interface DeclaredAnswer {
  readonly status: number
  readonly description: string
  readonly contentType: string
  /** Absent where the body is not JSON. */
  readonly schema?: z.ZodType
}

interface Answer {
  /** 302 is for what a browser is sent on from. */
  readonly status: 200 | 201 | 302
  readonly description: string
}

/** JSON by schema, dressed in the service's envelope unless `bare`; or a response that the handler writes itself. */
export type OperationAnswer =
  | (Answer & { readonly schema: z.ZodType; readonly bare?: boolean; readonly contentType?: undefined })
  | (Answer & { readonly contentType: string; readonly schema?: undefined })

/** At most `limit` requests in any stretch of `seconds`. Routes that share a counter share the limit. */
export interface Window {
  readonly counter: string
  readonly limit: number
  readonly seconds: number
}

/** Document 2 section 8: so many for an address that shows no good assertion, so many for the DID of one that does. */
export interface CallerTiers {
  /** Routes that share a counter share the limits. */
  readonly counter: string
  readonly anonymous: number
  readonly authenticated: number
}

export interface Operation {
  /** The OpenAPI operationId; equals the name of the constant. */
  readonly id: string
  readonly method: Method
  /** OpenAPI template: `/api/genesis/{did}`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly auth: Auth
  /** The header of the token, where `auth` takes one. */
  readonly tokenHeader?: TokenHeader
  /** A limit for 60 seconds on top of the tier; routes that share a counter share the limit. */
  readonly limit?: { readonly counter: string; readonly limit: number }
  /** An exact limit for an address in a longer window, counted after the tier and before the body is looked at. */
  readonly window?: Window
  /** An exact limit for the DID of the caller, whatever the address, counted once the assertion is spent. */
  readonly callerWindow?: Window & { readonly tier: string }
  /** A limit for 60 seconds that an optional assertion lifts into another one, counted before the body is looked at. */
  readonly callerTiers?: CallerTiers
  /** The path parameter that must be the caller’s own DID. */
  readonly owner?: string
  readonly params?: z.ZodType<object, Record<string, unknown>>
  readonly query?: z.ZodType<object, Record<string, unknown>>
  readonly body?: z.ZodType
  /** The header Idempotency-Key is asked for: the same key again is the same request. */
  readonly idempotencyKey?: boolean
  /** Looks at a JSON body before its schema does, for what is refused under a name of its own. */
  readonly screen?: (body: unknown) => ApiError | null
  /**
   * Reads a JSON body in the place of its schema, which then only describes it: where the order of the refusals and
   * their words are laid down. The handler gets what it makes of the body.
   */
  readonly parse?: (body: unknown) => Result<unknown, ApiError>
  /** What a body that is no JSON is refused as, where it is not `invalid_request`. */
  readonly malformed?: ErrorName
  /** A body that is no JSON: the media types that are taken. The handler gets its bytes. */
  readonly rawBody?: readonly [string, ...string[]]
  /** Bytes that are passed on as they come. The query names their hash, which a `bodyHash` claim must equal. */
  readonly streamBody?: { readonly types: readonly [string, ...string[]]; readonly hashParameter: string }
  readonly maxBodyBytes?: number
  readonly answer: OperationAnswer
  /** Answers that the handler writes itself beside the success, such as a resolution that found nothing. */
  readonly otherAnswers?: readonly DeclaredAnswer[]
  /** Besides what every route with these properties can answer. */
  readonly errors?: readonly ErrorName[]
  /** `no-store` unless told. */
  readonly cacheControl?: string
  /** GET gives what is given once: a HEAD would take it and show it to nobody. */
  readonly refusesHead?: boolean
  /** A miss names what was asked for, where the documents give it such a body: what is asked for is public. */
  readonly namesWhatIsMissing?: boolean
  /** The documents list HEAD for it; every GET is served as HEAD anyway. */
  readonly documentsHead?: boolean
}

/**
 * Readings 27b: what pairing and the authorization relay hand to a device that has no other credential yet. And the
 * session of the sign-in service, which only that service has a route for.
 */
export type TokenHeader = 'X-Pairing-Token' | 'X-Offer-Token' | typeof SESSION_HEADER

export interface BodyStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly length: number
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type BodyOf<O extends Operation> = O['parse'] extends (body: unknown) => Result<infer T, ApiError>
  ? T
  : Parsed<O['body']>
type CallerOf<A extends Auth> = A extends 'assertion'
  ? Caller
  : A extends 'optional-assertion' | 'assertion-or-token'
    ? Caller | null
    : undefined
type TokenOf<A extends Auth> = A extends 'token' ? string : A extends 'assertion-or-token' ? string | null : undefined

/** Document 2 section 4.2: the credential of a consent write. */
export const SIGNATURE_HEADER = 'X-Svc-Signature'

/** What a handler gets; every member has passed its schema. */
export interface OperationRequest<O extends Operation, Deps> {
  readonly params: Parsed<O['params']>
  readonly query: Parsed<O['query']>
  readonly body: BodyOf<O>
  readonly bytes: O['rawBody'] extends readonly string[] ? Uint8Array : undefined
  /** At most `maxBodyBytes` long, as it says of itself; null without a body. */
  readonly stream: O['streamBody'] extends object ? BodyStream | null : undefined
  readonly caller: CallerOf<O['auth']>
  /** Well-formed; whose it is the object decides. Null where an assertion came instead. */
  readonly token: TokenOf<O['auth']>
  /** Only on `signature`: as it was sent, and of whatever form. */
  readonly signature: O['auth'] extends 'signature' ? string : undefined
  /** Only on `assertion-with-work`: hand it to the object that does the work. */
  readonly assertion: O['auth'] extends 'assertion-with-work' ? UnspentAssertion : undefined
  /** Only on `internal`: the sibling that calls. */
  readonly internalCaller: O['auth'] extends 'internal' ? Service : undefined
  /** Only where the operation asks for one: 1 to 255 visible ASCII characters. */
  readonly idempotencyKey: O['idempotencyKey'] extends true ? string : undefined
  readonly deps: Deps
  /** HEAD is served as GET: who makes a large body leaves it out then. */
  readonly isHead: boolean
  readonly now: number
  readonly requestId: string
  /** Where the edge says that the caller is, ISO 3166-1 alpha-2; null when it does not. */
  readonly country: string | null
  readonly headers: Headers
  /** Lets work go on after the answer was sent. What it does must not matter to anybody: it may be cut off. */
  readonly background: (work: Promise<unknown>) => void
  /** Says in the log line what an answer that the handler writes itself was about. */
  readonly logReason: (reason: string) => void
}

/** What the schema takes; or a response, where there is no schema or the operation has other answers. */
export type OperationResult<O extends Operation> = O['answer'] extends { readonly schema: infer S extends z.ZodType }
  ? z.input<S> | (O['otherAnswers'] extends readonly DeclaredAnswer[] ? Response : never)
  : Response

export type Handler<O extends Operation, Deps> = (
  request: OperationRequest<O, Deps>,
) => Promise<OperationResult<O>> | OperationResult<O>

/** What is known of a request before its query and body are looked at. */
export interface AuthorityRequest<O extends Pick<Operation, 'auth'>, Deps> {
  /** As the path has them; no schema has seen them. */
  readonly path: Readonly<Record<string, string>>
  readonly caller: CallerOf<O['auth']>
  readonly deps: Deps
  readonly now: number
}

/** Refuses, by throwing, a caller who may not do this, before anything of what was sent is looked at. */
export type Authorize<O extends Pick<Operation, 'auth'>, Deps> = (request: AuthorityRequest<O, Deps>) => Promise<void>

/** An operation with its handler; the types of the two were checked against each other when it was made. */
export interface Route<Deps> {
  readonly operation: Operation
  readonly handle: (request: never) => unknown
  readonly authorize?: ((request: never) => Promise<void>) | undefined
  /** Never set; says to the type checker what the handler needs. */
  readonly needs?: (deps: Deps) => void
}

/** Declares an operation; `const` keeps its literal types for the handler. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation
}

/** Binds a handler to an operation. An answer of another shape than the declared one does not compile. */
export function route<Deps>() {
  return <O extends Operation>(
    operation: O,
    handle: Handler<O, Deps>,
    authorize?: Authorize<NoInfer<O>, Deps>,
  ): Route<Deps> => ({ operation, handle, authorize })
}
