import type { Kind } from './detect.ts'

/** One thing that was looked at. */
export interface Check {
  readonly check: string
  /** `unchecked`: nothing speaks against it, and nothing here proves it. */
  readonly result: 'ok' | 'unchecked'
  readonly detail: string
}

export interface Verdict {
  readonly kind: Kind
  /** What is invalid is a failure with exit code 3 instead. */
  readonly verdict: 'valid' | 'undecided'
  /** Whose it is; null if nobody's. */
  readonly did: string | null
  readonly checks: readonly Check[]
  /** What to do to decide the rest; null if there is nothing. */
  readonly next: string | null
}

export const checked = (check: string, detail: string): Check => ({ check, result: 'ok', detail })
export const unchecked = (check: string, detail: string): Check => ({ check, result: 'unchecked', detail })

/** A verdict of its checks: valid if nothing that matters is open. */
export function verdictOf(
  kind: Kind,
  did: string | null,
  checks: readonly Check[],
  { next = null, isOpen = false }: { readonly next?: string | null; readonly isOpen?: boolean } = {},
): Verdict {
  return { kind, verdict: isOpen ? 'undecided' : 'valid', did, checks, next }
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
