import { logListAnswerSchema } from '@svc/protocol/merkle/log-list'
import * as z from 'zod'
import { defineOperation } from '../app/operation.ts'

/** The operation that serves the signed list of logs; each service that keeps a log has one. */
export function logListOperation<const P extends `/${string}`>(path: P) {
  return defineOperation({
    id: 'readLogList',
    method: 'get',
    path,
    summary: 'Read the signed list of the deployment’s logs',
    description:
      'With `since`, also the lists between that version and the newest: each is signed by the keys of the one before, ' +
      'so a client that knows an earlier list can follow them to the newest.',
    auth: 'none',
    query: z.strictObject({
      since: z
        .string()
        .regex(/^(?:0|[1-9][0-9]{0,8})$/, 'must be a version, or 0 for all')
        .transform(Number)
        .optional()
        .meta({ description: 'The version that the client knows' }),
    }),
    answer: { status: 200, description: 'The list', schema: logListAnswerSchema },
    errors: ['log_list_unavailable', 'dependency_unavailable'],
    cacheControl: 'public, max-age=60',
  })
}
