/**
 * Quotas over Cloudflare's rate-limit bindings, one binding per quota size; the key consists of service, quota and
 * caller. If a binding is missing or throws, an in-isolate emergency bucket takes over. It is shared by all metered
 * paths of an address and never more generous than the quota it replaces.
 *
 * @module
 */
import type { Quota } from './tiers.ts'

export interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/** A quota and the counter it applies to, such as `tier:read` or `route:initGenesis`. */
export interface Metered extends Quota {
  readonly counter: string
}

export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly exceeded: Metered; readonly retryAfterSeconds: number }

const WINDOW_SECONDS = 60
export const EMERGENCY_LIMIT = 10
/** About 100 bytes per entry: at most 1 MB in an isolate of 128 MB. The oldest entry is evicted. */
const MAX_TRACKED_ADDRESSES = 10_000

export class EmergencyBucket {
  readonly #windows = new Map<string, { startedAt: number; count: number }>()

  /** Counts one request and returns the seconds to wait; 0 if it is within `limit`. */
  take(address: string, limit: number, now: number): number {
    let window = this.#windows.get(address)
    if (!window || now >= window.startedAt + WINDOW_SECONDS * 1000) {
      this.#windows.delete(address)
      if (this.#windows.size >= MAX_TRACKED_ADDRESSES) this.#dropOldest()
      window = { startedAt: now, count: 0 }
      this.#windows.set(address, window)
    }
    if (window.count >= Math.min(limit, EMERGENCY_LIMIT)) {
      return Math.max(1, Math.ceil((window.startedAt + WINDOW_SECONDS * 1000 - now) / 1000))
    }
    window.count += 1
    return 0
  }

  #dropOldest(): void {
    const [oldest] = this.#windows.keys()
    if (oldest !== undefined) this.#windows.delete(oldest)
  }
}

export class Limiter {
  readonly #service: string
  readonly #binding: (limit: number) => RateLimitBinding | undefined
  readonly #emergency = new EmergencyBucket()

  constructor(service: string, binding: (limit: number) => RateLimitBinding | undefined) {
    this.#service = service
    this.#binding = binding
  }

  /** Counts one request against each quota; all must allow it. `address` is an `addressKey`. */
  async take(quotas: readonly Metered[], address: string, now: number): Promise<Verdict> {
    for (const quota of quotas) {
      const allowed = await this.#ask(quota, address)
      if (allowed === null) return this.#takeEmergency(quotas, address, now)
      if (!allowed) return { allowed: false, exceeded: quota, retryAfterSeconds: WINDOW_SECONDS }
    }
    return { allowed: true }
  }

  /** Null if the binding is missing or fails. */
  async #ask(quota: Metered, address: string): Promise<boolean | null> {
    const binding = this.#binding(quota.limit)
    if (!binding) return null
    try {
      const { success } = await binding.limit({ key: `${this.#service}:${quota.counter}:${address}` })
      return success
    } catch {
      return null
    }
  }

  #takeEmergency(quotas: readonly Metered[], address: string, now: number): Verdict {
    const strictest = quotas.reduce((a, b) => (b.limit < a.limit ? b : a))
    const retryAfterSeconds = this.#emergency.take(address, strictest.limit, now)
    return retryAfterSeconds === 0
      ? { allowed: true }
      : { allowed: false, exceeded: { ...strictest, tier: 'emergency' }, retryAfterSeconds }
  }
}
