/**
 * The law of a metered registration: a unit is held before anything is written, counts once what was written is
 * complete, and is let go of when anything fails. The three steps may stop between any two of them; the same
 * registration again goes on from there, and its unit counts once.
 *
 * @module
 */
import { err, type Result } from '@svc/protocol/result'

/** What a 402 says. */
export interface Exhausted {
  readonly reason: 'exhausted'
  readonly kind: string
  readonly used: number
  readonly limit: number
  readonly tier: string
}
export type QuotaRefusal = Exhausted | { readonly reason: 'unavailable'; readonly detail: string }

/** One unit of one identity under a name that is the same for every attempt. */
export interface Unit {
  readonly did: string
  readonly key: string
}

/** Where units are kept. */
export interface Quota {
  reserve(did: string, key: string): Promise<Result<void, QuotaRefusal>>
  finalize(did: string, key: string): Promise<Result<void, QuotaRefusal>>
  release(did: string, key: string): Promise<void>
}

export interface MeteredSteps<T, E> {
  /** Writes everything so that nobody sees it yet. Must be repeatable: a retry writes it again. */
  readonly prepare: () => Promise<Result<void, E>>
  /** Lets it be seen. Runs only after the unit has counted; when it fails, the same registration again completes it. */
  readonly complete: () => Promise<Result<T, E>>
}

/**
 * Runs a registration under a unit. A failed `finalize` is let go of too: had it counted after all, the release would
 * be refused. A failed `complete` is not, since its unit has counted and belongs to the retry.
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
