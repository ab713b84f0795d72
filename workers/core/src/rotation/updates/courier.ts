import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { KeysInternalApi, RootStatement } from '@svc/protocol/internal/keys'
import { currentRequestId, doneOrDelayed } from '@svc/service'
import type { UpdateTransaction } from './transaction.ts'

/** A call that takes longer has failed: the object's alarm repeats it. */
const TIMEOUT_MS = 10_000

/** Core's binding to the key directory; null in a deployment without one. */
export function keyDirectoryOf(env: Partial<Env>): KeysInternalApi | null {
  return (env.KEYS as unknown as KeysInternalApi | undefined) ?? null
}

/** What arrives during the call, or exceeds one call, is delivered by the alarm that is set next. */
export async function deliverUpdates(updates: UpdateTransaction, env: Partial<Env>): Promise<void> {
  const directory = keyDirectoryOf(env)
  const due = directory && updates.due(Date.now())
  if (!due) return
  const isAcknowledged = await reportTo(directory, due.did, due.statements)
  updates.settle(due, isAcknowledged, Date.now())
}

/** Whether the directory acknowledged the statements. Never rejects. */
async function reportTo(
  directory: KeysInternalApi,
  did: string,
  statements: readonly RootStatement[],
): Promise<boolean> {
  const timeout = new AbortController()
  const late = scheduler.wait(TIMEOUT_MS, { signal: timeout.signal }).then(() => {
    throw new DependencyFault('key directory')
  })
  // Ended when the call was faster.
  late.catch(() => {})
  const work = { service: 'core', delayed: 'root updates', waiting: statements.length }
  const isDone = await doneOrDelayed(work, () =>
    Promise.race([directory.recordRootStatements(did, statements, currentRequestId()), late]),
  )
  timeout.abort()
  return isDone
}
