import { reaching } from '@svc/protocol/dependency-fault'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from './api-error.ts'
import type { ServiceEnv } from './description.ts'
import type { Operation, Window } from './operation.ts'

/** Counts a request against the window of its address. */
export async function meterWindow(c: Context<ServiceEnv>, window: Window): Promise<void> {
  await take(c, window, addressKey(c.req.header('cf-connecting-ip') ?? 'unknown'))
}

/** Counts a request against the window of its caller. The refusal is that of a tier, which it is for the caller. */
export async function meterCaller(
  c: Context<ServiceEnv>,
  { callerWindow }: Operation,
  caller: { readonly did: string },
): Promise<void> {
  if (!callerWindow) return
  const { tier, ...window } = callerWindow
  await take(c, window, caller.did, tier)
}

/** What cannot be counted is refused: the store of a window is no cache that a request could do without. */
async function take(c: Context<ServiceEnv>, window: Window, key: string, tier?: string): Promise<void> {
  const { windows } = c.var.runtime
  if (!windows) throw new Error('an operation with a window needs a counter')
  const retryAfterSeconds = await reaching('windows', () => windows.take(window, key))
  if (retryAfterSeconds === 0) return
  throw new ApiError('rate_limited', { retryAfterSeconds, tier, reason: `window: ${window.counter}` })
}
