import { reaching } from '@svc/protocol/base/dependency-fault'
import { addressKey } from '@svc/rate-limit'
import type { Context } from 'hono'
import { ApiError } from '../answer/api-error.ts'
import type { ServiceEnv } from '../app/description.ts'
import type { Operation } from '../app/operation.ts'
import { countsFrom, secondsToWait } from './counter.ts'
import type { Window } from './declared-limits.ts'

/** Addresses that an isolate remembers; the oldest is dropped for a new one. */
const MAX_ADDRESSES = 10_000

/**
 * The window of an address. Requests that pass their schemas are counted exactly, in an object; malformed ones in memory
 * only, by isolate, because garbage must not create an object. Either count alone can close the window.
 */
export class AddressWindow {
  readonly #window: Window
  readonly #malformed = new Map<string, number[]>()

  constructor(window: Window) {
    this.#window = window
  }

  /** Before the body is read. */
  requireOpen(c: Context<ServiceEnv>): void {
    const retryAfterSeconds = secondsToWait(this.#timesOf(addressOf(c)), this.#window, c.var.now)
    if (retryAfterSeconds > 0) throw exceededError(this.#window, retryAfterSeconds)
  }

  countMalformed(c: Context<ServiceEnv>): void {
    const address = addressOf(c)
    const from = countsFrom(c.var.now, this.#window)
    const times = [...this.#timesOf(address).filter((at) => at > from), c.var.now]
    const [oldest] = this.#malformed.keys()
    if (this.#malformed.size >= MAX_ADDRESSES && oldest !== undefined) this.#malformed.delete(oldest)
    this.#malformed.set(address, times)
  }

  async count(c: Context<ServiceEnv>): Promise<void> {
    await take(c, this.#window, addressOf(c))
  }

  #timesOf(address: string): readonly number[] {
    return this.#malformed.get(address) ?? []
  }
}

function addressOf(c: Context<ServiceEnv>): string {
  return addressKey(c.req.header('cf-connecting-ip') ?? 'unknown')
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
  throw exceededError(window, retryAfterSeconds, tier)
}

function exceededError({ counter }: Window, retryAfterSeconds: number, tier?: string): ApiError {
  return new ApiError('rate_limited', { retryAfterSeconds, tier, reason: `window: ${counter}` })
}
