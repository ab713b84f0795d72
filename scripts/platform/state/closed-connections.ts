const CLOSED: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']
const ATTEMPTS = 4

/**
 * Runs an idempotent step again if its connection was closed. The runtime closes idle connections, and on a busy machine
 * Miniflare sends a call over one that is about to close.
 */
export async function repeatWhenClosed<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await step()
    } catch (error) {
      if (attempt === ATTEMPTS || !isClosed(error)) throw error
    }
}

/** The fault of the connection is the error itself, or the cause of one that names what was being done. */
function isClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return CLOSED.includes((error as NodeJS.ErrnoException).code) || isClosed(error.cause)
}
