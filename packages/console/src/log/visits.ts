/**
 * What the logs showed at earlier visits, in this browser. The client's own memory verifies the same; these are kept for
 * the picture, and as evidence if a log ever contradicts itself.
 *
 * @module
 */
import type { Client } from '@svc/client'
import { inBrowser } from '../kept/web-storage.ts'

export type AnchorCheckpoint = Parameters<Client['anchors']['verifyExtension']>[0]
export type DirectoryCheckpoint = Parameters<Client['transparency']['verifyExtension']>[0]
export type Checkpoint = AnchorCheckpoint | DirectoryCheckpoint
export type Series = 'anchors' | 'transparency'

export interface Visit<C extends Checkpoint = Checkpoint> {
  /** Epoch ms. */
  readonly at: number
  readonly checkpoint: C
}

const MAX_VISITS = 50
/** Loading a page again is the same visit. */
const SAME_VISIT_MS = 5_000

export function visitsOf<C extends Checkpoint>(series: Series): readonly Visit<C>[] {
  try {
    const kept: unknown = JSON.parse(inBrowser.get(keyOf(series)) ?? '[]')
    return Array.isArray(kept) ? (kept as Visit<C>[]) : []
  } catch {
    return []
  }
}

export function keepVisit(series: Series, visit: Visit): void {
  const kept = visitsOf(series)
  const last = kept.at(-1)
  const isSame =
    last !== undefined &&
    visit.at - last.at < SAME_VISIT_MS &&
    last.checkpoint.statement.size === visit.checkpoint.statement.size
  if (isSame) return
  inBrowser.set(keyOf(series), JSON.stringify([...kept, visit].slice(-MAX_VISITS)))
}

export function forgetVisits(): void {
  for (const series of ['anchors', 'transparency'] as const) inBrowser.delete(keyOf(series))
}

const keyOf = (series: Series) => `console-log-${series}`
