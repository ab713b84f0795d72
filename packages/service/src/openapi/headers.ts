/**
 * The headers of answers that clients act on.
 *
 * @module
 */
import type { DeclaredAnswer } from '../app/declared-answers.ts'
import type { Operation } from '../app/operation.ts'

const text = (description: string) => ({ description, schema: { type: 'string' as const } })
const whole = (description: string) => ({ description, schema: { type: 'integer' as const } })

/** Components of the document, for headers of many answers. */
export const HEADERS = {
  RequestId: { ...text('Names the request in the logs'), required: true },
  ErrorName: { ...text('The error of the body, whatever its shape'), required: true },
}

/** The headers of the answers of one status. */
export function headersOf(status: number, { callerTiers }: Operation, answers: readonly DeclaredAnswer[]) {
  const tiers = {
    'X-RateLimit-Limit': whole('Requests in 60 seconds that this caller may make'),
    'X-RateLimit-Tier': text('`anonymous` or `authenticated`'),
  }
  return {
    'X-Request-ID': { $ref: '#/components/headers/RequestId' },
    ...(status >= 400 ? { 'X-Error-Name': { $ref: '#/components/headers/ErrorName' } } : {}),
    ...Object.fromEntries(
      answers.flatMap(({ headers = {} }) => Object.entries(headers).map(([name, said]) => [name, text(said)])),
    ),
    ...(callerTiers ? tiers : {}),
    ...(status === 429 ? { 'Retry-After': { ...whole('Whole seconds to wait'), required: true } } : {}),
    ...(status === 503 ? { 'Retry-After': whole('Whole seconds to wait, if the service can tell') } : {}),
    ...(status === 429 && callerTiers ? { 'X-RateLimit-Remaining': whole('0') } : {}),
  }
}
