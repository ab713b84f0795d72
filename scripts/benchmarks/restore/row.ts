import { type LoadRequest, send } from '@svc/platform/callers/send'
import type { Actor } from '../traffic/actor.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, type Heads } from '../traffic/proof.ts'
import type { Loss } from './losses.ts'
import type { Memories } from './memories/memories.ts'

/** What everybody knows at the moment of the loss. */
export interface Known {
  readonly actors: readonly Actor[]
  /** All identities, actors included. */
  readonly dids: readonly string[]
  readonly memories: Memories
  readonly spent: readonly LoadRequest[]
  readonly heads: Heads
}

export interface Row {
  readonly lost: string
  readonly restoredFrom: string
  /** Writes that were acknowledged before the loss, and assertions that were spent. */
  readonly acknowledged: number
  readonly replayed: number
  /** A sentence for each acknowledged write that is missing or has changed. */
  readonly missing: readonly string[]
  /** How many came after what the stores were restored to, and are missing as announced. */
  readonly later: number
  /** Sentences about what nobody wrote, what is there twice, and what was spent or ended and is accepted again. */
  readonly doubled: readonly string[]
}

const REFUSED_AFTER_A_REBUILD = ['assertion_replay', 'assertion_expired', 'unauthorized'] as const

/** Asks every client for everything. */
export async function rowOf(loss: Loss, known: Known, refused: readonly string[]): Promise<Row> {
  const { actors, memories, spent, heads } = known
  const { lost, restoredFrom, hasFloor, isWithoutPrekeys = false, isOperatorRefused = false, until } = loss
  const [first] = actors
  const replays = await faultsOfReplay(spent, hasFloor ? REFUSED_AFTER_A_REBUILD : undefined)
  const logs = first ? await faultsOfLogs(first.strangers.client, heads) : []
  // The books of the load do not know in which part they wrote what.
  const written = until === undefined ? await faultsOfAll(actors, { isWithoutPrekeys }) : []
  const found = await memories.findings({ isOperatorRefused })
  const isDouble = (fault: string) => /nobody sent|twice|was not sent/.test(fault)
  const isLater = (part: number) => until !== undefined && part > until
  const missing = found.filter(({ kind }) => kind === 'missing')
  const books = actors.flatMap(({ everyBook }) => everyBook)
  return {
    lost,
    restoredFrom,
    acknowledged: books.reduce((sum, { acknowledged }) => sum + acknowledged, memories.count),
    replayed: spent.length,
    missing: [
      ...refused,
      ...logs,
      ...written.filter((fault) => !isDouble(fault)),
      ...missing.filter(({ part }) => !isLater(part)).map(({ what }) => what),
    ],
    later: missing.filter(({ part }) => isLater(part)).length,
    doubled: [
      ...replays,
      ...written.filter(isDouble),
      ...found.filter(({ kind }) => kind === 'doubled').map(({ what }) => what),
    ],
  }
}

/** The row of a loss that erases identities: each one that still answers is a fault. */
export async function erasedRowOf(
  { lost, restoredFrom }: Loss,
  { actors: [actor], dids }: Known,
  refused: readonly string[],
): Promise<Row> {
  const left: string[] = []
  for (const did of dids) {
    const { status } = await send({ method: 'GET', url: `${actor?.stage.urls.core}/api/chain/root/${did}` })
    if (status !== 404) left.push(`${did} was erased, and its root is answered with ${status}`)
  }
  return { lost, restoredFrom, acknowledged: 0, replayed: 0, missing: refused, later: 0, doubled: left }
}
