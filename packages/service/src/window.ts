import { reaching } from '@svc/protocol/dependency-fault'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from './api-error.ts'
import type { ServiceEnv } from './description.ts'
import type { Window } from './operation.ts'

/** What cannot be counted is refused: the store of a window is no cache that a request could do without. */
export async function meterWindow(c: Context<ServiceEnv>, window: Window): Promise<void> {
  const { windows } = c.var.runtime
  if (!windows) throw new Error('an operation with a window needs a counter')
  const address = addressKey(c.req.header('cf-connecting-ip') ?? 'unknown')
  const retryAfterSeconds = await reaching('windows', () => windows.take(window, address))
  if (retryAfterSeconds === 0) return
  throw new ApiError('rate_limited', { retryAfterSeconds, reason: `window: ${window.counter}` })
}
