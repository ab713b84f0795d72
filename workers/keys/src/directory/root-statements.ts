import { didSchema } from '@svc/protocol/base/identity'
import { MAX_ROOT_STATEMENTS, rootStatementSchema } from '@svc/protocol/internal/keys'
import * as z from 'zod'
import { createRuntime } from '../services.ts'

const statementsSchema = z.array(rootStatementSchema).max(MAX_ROOT_STATEMENTS)

/** Core has verified them; here they become updates of the account, each once and in the order of the call. */
export async function recordRootStatements(
  env: Env,
  context: ExecutionContext,
  did: string,
  statements: readonly unknown[],
): Promise<void> {
  const { directory } = createRuntime(env).deps
  await directory.record(didSchema.parse(did), statementsSchema.parse(statements), (work) => context.waitUntil(work))
}
