import type { Result } from '@svc/protocol/base/result'
import type { LogEnding } from '@svc/protocol/merkle/roll'
import type { LogEdge } from '@svc/protocol/merkle/tiles'

/** The head and the log's right edge, so that a reader needs no partial tile except those above its own leaf. */
export interface LogHead extends LogEdge {
  /** When its first checkpoint was signed, epoch milliseconds. */
  readonly openedAt: number
  readonly root: string
  /** The version of the seed that the key of the log is derived from. */
  readonly keyVersion: number
  /** Null while the log is open. */
  readonly ending: LogEnding | null
}

export interface PlacedLeaf {
  readonly leafId: string
  readonly index: number
}

export type SubmitRefusal =
  | { readonly reason: 'stale_call' | 'log_busy' }
  /** The leaves that have a place here keep it; the others are for the next log. */
  | { readonly reason: 'log_closed'; readonly next: string; readonly placed: PlacedLeaf[] }

/** What a log has taken, and the log that takes the rest if it is closed; null if the leaves are to be sent again. */
export function placedBy(
  answer: Result<PlacedLeaf[], SubmitRefusal>,
): { readonly places: readonly PlacedLeaf[]; readonly next: string | null } | null {
  if (answer.ok) return { places: answer.value, next: null }
  const { error } = answer
  return error.reason === 'log_closed' ? { places: error.placed, next: error.next } : null
}

/** A log has one next log. */
export type CloseRefusal = { readonly reason: 'log_closed' }
