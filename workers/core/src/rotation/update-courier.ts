import type { KeysInternalApi, RootStatement } from '@svc/protocol/internal/keys'

/** A call that takes longer has failed: the object's alarm repeats it. */
const TIMEOUT_MS = 10_000

/** Core's binding to the key directory; null in a deployment without one. */
export function keyDirectoryOf(env: Partial<Env>): KeysInternalApi | null {
  return (env.KEYS as unknown as KeysInternalApi | undefined) ?? null
}

/** Whether the directory acknowledged the statements. Never rejects. */
export async function reportTo(
  directory: KeysInternalApi,
  did: string,
  statements: readonly RootStatement[],
): Promise<boolean> {
  const timeout = new AbortController()
  const late = scheduler
    .wait(TIMEOUT_MS, { signal: timeout.signal })
    .then(() => false)
    .catch(() => false)
  const call = async () => {
    await directory.recordRootStatements(did, statements)
    return true
  }
  try {
    return await Promise.race([call(), late])
  } catch {
    return false
  } finally {
    timeout.abort()
  }
}
