import type { Client } from '@svc/client'
import type { Newest } from './newest.ts'
import type { Checkpoint, Series } from './visits.ts'

export type LogList = Awaited<ReturnType<Awaited<ReturnType<Client['anchors']['logs']>>['list']>>

/** What the page asks the worker, and what it is answered. */
export type Question =
  | { readonly of: 'newest'; readonly series: Series; readonly earlier: Checkpoint | null }
  | { readonly of: 'list' }

export interface Asked {
  readonly id: number
  /** The origin of the core service. */
  readonly core: string
  readonly question: Question
}

export type Answered =
  | { readonly id: number; readonly ok: true; readonly value: Newest | LogList }
  | { readonly id: number; readonly ok: false; readonly fault: Readonly<Record<string, unknown>> }
