/** What core tells the key directory over its service binding (workers/docs/pages/developer/internal.md). */
import * as z from 'zod'
import { keyAgreementSchema } from '../base/key-agreement.ts'
import { deactivationSchema } from '../chain/deactivation.ts'
import { rotationRequestSchema } from '../chain/rotation.ts'
import { rotationOpenedSchema } from '../keys/replacement.ts'

/**
 * A statement of a root key that has taken effect at core, or core's record that it opened a request for a key that was
 * not committed. The directory logs each as an update of the account.
 */
export const rootStatementSchema = /* @__PURE__ */ z.union([
  rotationRequestSchema,
  deactivationSchema,
  rotationOpenedSchema,
  keyAgreementSchema,
])
export type RootStatement = z.infer<typeof rootStatementSchema>

/** `KeysInternal` of the key directory, as core calls it. `requestId` is of the request that the call is made for. */
export interface KeysInternalApi {
  recordRootStatements(did: string, statements: readonly unknown[], requestId?: string): Promise<void>
}

/** Per call. */
export const MAX_ROOT_STATEMENTS = 16
