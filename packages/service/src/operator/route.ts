import type { Result } from '@svc/protocol/base/result'
import type { Signed } from '@svc/protocol/base/statement'
import type { ErrorName } from '@svc/protocol/http/errors'
import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { defineOperation, type Route, route } from '../app/operation.ts'
import type { ActStatement, OperatorRefusal } from './acts.ts'

interface DeclaredActs<A, D, Name extends ErrorName> {
  /** The acts that the Worker accepts. */
  readonly acts: z.ZodType<A>
  /** What they do, as a sentence. */
  readonly about: string
  readonly answer: z.ZodType<unknown, D>
  /** The errors that the performer may return. */
  readonly errors?: readonly Name[]
}

/** A read of the operator: signed and recorded like an act, on a route of its own. */
interface DeclaredRead<A, D> {
  readonly id: string
  readonly path: string
  readonly summary: string
  readonly about: string
  readonly read: z.ZodType<A>
  readonly answer: z.ZodType<unknown, D>
}

interface TakesActs<A, D, Name extends ErrorName> {
  readonly operator: {
    readonly take: (act: A, now: number) => Promise<Result<D, OperatorRefusal | { readonly reason: Name }>>
  }
}

/** `POST /api/operator/acts`, the same on each Worker; an error that is not in `errors` does not compile. */
export function operatorRoute<A extends Signed<ActStatement>, D, const Name extends ErrorName = never>({
  acts,
  about,
  answer,
  errors = [],
}: DeclaredActs<A, D, Name>): Route<TakesActs<A, D, Name>> {
  const takeOperatorAct = defineOperation({
    id: 'takeOperatorAct',
    method: 'post',
    path: '/api/operator/acts',
    summary: 'Perform an operator act',
    description: `${about} ${CREDENTIAL}`,
    auth: 'none',
    limit: LIMIT,
    body: acts,
    answer: { status: 200, description: 'Performed and recorded', schema: answer },
    errors: [...REFUSALS, ...errors],
  })
  return route<TakesActs<A, D, Name>>()(takeOperatorAct, async ({ body, deps, now }) => {
    const taken = await deps.operator.take(body, now)
    if (taken.ok) return taken.value
    throw actError(taken.error.reason, now)
  })
}

/** A signed read: it takes the same statements as acts do, and each one is recorded. */
export function operatorReadRoute<A extends Signed<ActStatement>, D, Deps>(
  { id, path, summary, about, read, answer }: DeclaredRead<A, D>,
  take: (deps: Deps, read: A, now: number) => Promise<Result<D, OperatorRefusal>>,
): Route<Deps> {
  const operation = defineOperation({
    id,
    method: 'post',
    path,
    summary,
    description: `${about} ${CREDENTIAL}`,
    auth: 'none',
    limit: LIMIT,
    body: read,
    answer: { status: 200, description: 'Read and recorded', schema: answer },
    errors: REFUSALS,
  })
  return route<Deps>()(operation, async ({ body, deps, now }) => {
    const taken = await take(deps, body, now)
    if (taken.ok) return taken.value
    throw actError(taken.error.reason, now)
  })
}

const LIMIT = { counter: 'takeOperatorAct', limit: 20, protects: 'work' } as const
const CREDENTIAL = 'The credential is the statement’s signature by the configured operator key. Every act is recorded.'
const REFUSALS = [
  'operator_acts_disabled',
  'invalid_signature',
  'statement_expired',
  'statement_replay',
  'dependency_unavailable',
] as const

/** The public names of what `OperatorActs` refuses. A performer's refusals have theirs already. */
const PUBLIC_NAMES: Readonly<Record<OperatorRefusal['reason'], ErrorName>> = {
  disabled: 'operator_acts_disabled',
  invalid_signature: 'invalid_signature',
  expired: 'statement_expired',
  replay: 'statement_replay',
}

function actError(reason: OperatorRefusal['reason'] | ErrorName, now: number): ApiError {
  const name = isOperatorRefusal(reason) ? PUBLIC_NAMES[reason] : reason
  return new ApiError(name, name === 'statement_expired' ? { serverTime: now } : {})
}

function isOperatorRefusal(reason: string): reason is OperatorRefusal['reason'] {
  return Object.hasOwn(PUBLIC_NAMES, reason)
}
