import type { LogList } from '../log/list.ts'
import type { Newest } from '../log/newest.ts'
import type { Pinned } from '../log/pinned.ts'
import type { Checkpoint, Series } from '../log/visits.ts'
import type { OfIdentity } from '../profile/reads.ts'

/** What a page can ask the worker about, and what it is answered. */
export interface Answers extends OfIdentity {
  readonly newest: Newest
  readonly logs: LogList
  readonly pinned: Pinned
}

export type Question<Of extends keyof Answers = keyof Answers> =
  | { readonly of: Of & 'newest'; readonly series: Series; readonly earlier: Checkpoint | null }
  | { readonly of: Of & 'logs' }
  | { readonly of: Of & 'pinned' }
  | { readonly of: Of & keyof OfIdentity; readonly did: string }

export interface Asked {
  readonly id: number
  /** The origin of the core service. */
  readonly core: string
  readonly question: Question
}

export type Answered =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly fault: Readonly<Record<string, unknown>> }
