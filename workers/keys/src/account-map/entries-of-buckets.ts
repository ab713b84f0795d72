import { updateEntryOf } from '@svc/protocol/keys/account-updates'
import type { MapUpdate } from '@svc/protocol/keys/map-pages'

/** Buckets that count at a time. */
const PARALLEL = 16

export function updatesOf(lines: readonly string[]): MapUpdate[] {
  return lines.flatMap((line) => updateEntryOf(line) ?? [])
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += PARALLEL) await Promise.all(items.slice(i, i + PARALLEL).map(work))
}
