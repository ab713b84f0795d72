import { didSchema } from '@svc/protocol/base/identity'
import { MAX_ROOT_STATEMENTS, rootStatementSchema } from '@svc/protocol/internal/keys'
import * as z from 'zod'
import { createRuntime } from '../services.ts'
import { isDeactivation } from './rules.ts'

const statementsSchema = z.array(rootStatementSchema).max(MAX_ROOT_STATEMENTS)

/**
 * Core has verified them; here they become updates of the account, each once and in the order of the call. What only the
 * account could ask for goes with its deactivation. If that fails, core repeats the call.
 */
export async function recordRootStatements(
  env: Env,
  context: ExecutionContext,
  did: string,
  statements: readonly unknown[],
): Promise<void> {
  const { directory, epochs, inventory } = createRuntime(env).deps
  const [account, recorded] = [didSchema.parse(did), statementsSchema.parse(statements)]
  await directory.record(account, recorded, (work) => context.waitUntil(work))
  if (!recorded.some(isDeactivation)) return
  await Promise.all([epochs, inventory].map((service) => service.forget(account)))
}
