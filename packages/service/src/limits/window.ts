import { reaching } from '@svc/protocol/base/dependency-fault'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from '../answer/api-error.ts'
import type { ServiceEnv } from '../app/description.ts'
import type { Operation, Window } from '../app/operation.ts'

/** Counts a request against the window of its address. */
export async function meterWindow(c: Context<ServiceEnv>, window: Window): Promise<void> {
  await take(c, window, addressKey(c.req.header('cf-connecting-ip') ?? 'unknown'))
}

/** Counts a request against the window of its caller. To the caller, the refusal looks like that of a tier. */
export async function meterCaller(
  c: Context<ServiceEnv>,
  { callerWindow }: Operation,
  caller: { readonly did: string },
): Promise<void> {
  if (!callerWindow) return
  const { tier, ...window } = callerWindow
  await take(c, window, caller.did, tier)
}

/** A request that cannot be counted is refused: unlike a cache, the store of a window is required. */
async function take(c: Context<ServiceEnv>, window: Window, key: string, tier?: string): Promise<void> {
  const { windows } = c.var.runtime
  if (!windows) throw new Error('an operation with a window needs a counter')
  const retryAfterSeconds = await reaching('windows', () => windows.take(window, key))
  if (retryAfterSeconds === 0) return
  throw new ApiError('rate_limited', { retryAfterSeconds, tier, reason: `window: ${window.counter}` })
}
