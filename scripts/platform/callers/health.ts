import { SetupError, type WorkerName } from '../workspace.ts'

const HEALTH_TIMEOUT_MS = 20_000

/** Returns when each service answers. Throws a `SetupError` that names the first that does not in time. */
export async function waitUntilHealthy(urls: Record<WorkerName, string>, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTH_TIMEOUT_MS
  const waiting = Object.entries(urls).map(async ([name, url]) => {
    for (;;) {
      signal?.throwIfAborted()
      const fault = await healthFault(`${url}/health`)
      if (fault === undefined) return
      if (Date.now() > deadline) throw new SetupError(`${name} is not healthy: ${url}/health ${fault}.`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  await Promise.all(waiting)
}

async function healthFault(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    await response.body?.cancel()
    return response.ok ? undefined : `answers ${response.status}`
  } catch (error) {
    return `does not answer (${error instanceof Error ? error.message : String(error)})`
  }
}
