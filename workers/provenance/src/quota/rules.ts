/**
 * The steps of a metered registration: hold a unit before the first write, count it once the write is complete, and
 * release it on failure. The process may stop between any two steps; repeating the same registration resumes it, and
 * its unit counts once.
 *
 * @module
 */
import { err, type Result } from '@svc/protocol/base/result'

/** The details of a 402. */
export interface Exhausted {
  readonly reason: 'exhausted'
  readonly kind: string
  readonly used: number
  readonly limit: number
  readonly tier: string
}
export type QuotaRefusal = Exhausted | { readonly reason: 'unavailable'; readonly detail: string }

/** One unit of one identity, under a name that is the same for every attempt. */
export interface Unit {
  readonly did: string
  readonly key: string
}

/** The meter that holds units. */
export interface Quota {
  reserve(did: string, key: string): Promise<Result<void, QuotaRefusal>>
  finalize(did: string, key: string): Promise<Result<void, QuotaRefusal>>
  release(did: string, key: string): Promise<void>
}

export interface MeteredSteps<T, E> {
  /** Writes everything without making it visible. Must be repeatable: a retry writes it again. */
  readonly prepare: () => Promise<Result<void, E>>
  /** Makes it visible. Runs only after the unit has counted; if it fails, repeating the registration completes it. */
  readonly complete: () => Promise<Result<T, E>>
}

/**
 * Runs a registration under a unit. Also releases after a failed `finalize`: if that did count, the release is refused.
 * Never releases after a failed `complete`: the unit has counted and belongs to the retry.
 */
export async function metered<T, E>(
  quota: Quota,
  { did, key }: Unit,
  { prepare, complete }: MeteredSteps<T, E>,
): Promise<Result<T, E | QuotaRefusal>> {
  const reserved = await quota.reserve(did, key)
  if (!reserved.ok) return reserved
  let isCounted = false
  try {
    const prepared = await prepare()
    if (!prepared.ok) return prepared
    const finalized = await quota.finalize(did, key)
    if (!finalized.ok) return err(finalized.error)
    isCounted = true
  } finally {
    if (!isCounted) await quota.release(did, key)
  }
  return complete()
}
