/**
 * What somebody does who got an error: the column of that name on the page of errors. Apart from the table in
 * packages/protocol, which the SDK loads.
 *
 * @module
 */
import type { ErrorName } from '@svc/protocol/http/errors'
import { ACCOUNTS } from './advice/accounts.ts'
import { CREDENTIALS } from './advice/credentials.ts'
import { IDENTITIES } from './advice/identities.ts'
import { RECORDS } from './advice/records.ts'
import { REQUESTS } from './advice/requests.ts'

/** The parts have no other names, and together all of them: anything else does not compile. */
export const ERROR_ADVICE = {
  ...CREDENTIALS,
  ...REQUESTS,
  ...IDENTITIES,
  ...RECORDS,
  ...ACCOUNTS,
} satisfies Record<ErrorName, string>
