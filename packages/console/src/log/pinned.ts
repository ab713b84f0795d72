import type { Client } from '@svc/client'

/** What this browser pins of the deployment, for a person to compare. */
export interface Pinned {
  /** Null if the deployment has no signed list. */
  readonly fingerprint: string | null
  /** How many of the keys sign a list, and how many there are. */
  readonly threshold: number
  readonly keys: number
  /** Whether this visit is the first, so that nothing was there to compare the keys with. */
  readonly isFirst: boolean
  /** What the list proposes; the console trusts none of them. */
  readonly witnesses: { readonly threshold: number; readonly keys: number }
}

export function pinnedBy({ discovery }: Client): Pinned {
  const list = discovery?.pin.list?.statement
  const keys = list?.keys ?? discovery?.pin.logListKeys
  return {
    fingerprint: discovery?.fingerprint ?? null,
    threshold: keys?.threshold ?? 0,
    keys: keys?.publicKeysB64u.length ?? 0,
    isFirst: discovery?.logListTrust === 'first-seen',
    witnesses: { threshold: list?.witnesses.threshold ?? 0, keys: list?.witnesses.keys.length ?? 0 },
  }
}
