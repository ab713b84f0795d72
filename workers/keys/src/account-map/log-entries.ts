import { type LogFiles, type LogHead, LogReader } from '@svc/log'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'

/** Bundles that are read at a time. */
const PARALLEL = 6

/** The entries of a log from one index up to another, as they were logged. */
export async function logEntries(files: LogFiles, head: LogHead, from: number, to: number): Promise<string[]> {
  const reader = new LogReader(files)
  const lines: string[] = []
  const first = Math.floor(from / TILE_WIDTH)
  const bundles = from < to ? Math.ceil(to / TILE_WIDTH) - first : 0
  for (let i = 0; i < bundles; i += PARALLEL) {
    const read = Array.from({ length: Math.min(PARALLEL, bundles - i) }, (_, j) => reader.entries(head, first + i + j))
    for (const found of await Promise.all(read)) {
      if (!found.ok) throw new DependencyFault('tiles')
      lines.push(...found.value.entries)
    }
  }
  const skipped = from - first * TILE_WIDTH
  return lines.slice(skipped, skipped + to - from)
}
