/**
 * What somebody does who got an error: on the page of errors, and in the refusals of `svc`. Apart from the table in
 * packages/protocol, which the SDK loads.
 *
 * @module
 */
import type { ErrorName } from '#client/functions'
import { ACCOUNTS } from './accounts.ts'
import { CREDENTIALS } from './credentials.ts'
import { IDENTITIES } from './identities.ts'
import { RECORDS } from './records.ts'
import { REQUESTS } from './requests.ts'

/** The parts have no other names, and together all of them: anything else does not compile. */
export const ERROR_ADVICE = {
  ...CREDENTIALS,
  ...REQUESTS,
  ...IDENTITIES,
  ...RECORDS,
  ...ACCOUNTS,
} satisfies Record<ErrorName, string>
