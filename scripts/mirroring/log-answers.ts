import type { ErrorName } from '@svc/protocol/http/errors'
import { leafIdOfEntry, mapLeafId, valueFor } from '@svc/protocol/keys/account-map'
import { updateEntrySchema } from '@svc/protocol/keys/account-updates'
import {
  type AccountAnswer,
  type AccountAudit,
  type AuditAnswer,
  type CheckpointAnswer,
  type InclusionAnswer,
  MAX_AUDITED_UPDATES,
} from '@svc/protocol/keys/transparency'
import type { DirectoryCheckpoint, LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { readEntry } from '@svc/protocol/merkle/entries'
import { type LogListAnswer, MAX_EARLIER_LISTS, type SignedLogList } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { MirrorStore } from './mirror-store.ts'
import type { StoredHead, StoredLog } from './stored-log.ts'

/** What the mirror does not have, in the words of the services. */
export class Refused extends Error {
  readonly error: ErrorName
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(error: ErrorName, message?: string, details?: Readonly<Record<string, unknown>>) {
    super(message)
    this.error = error
    this.details = details
  }
}

export interface ServedLog {
  readonly log: StoredLog
  readonly head: StoredHead
  readonly size: number
}

/** The answers about logs that do not depend on their series. Everything is as of the last verified checkpoint. */
export class LogAnswers {
  readonly #store: MirrorStore

  constructor(store: MirrorStore) {
    this.#store = store
  }

  lists(since: number | null): LogListAnswer {
    const list = this.#store.newestList()
    if (!list) throw new Refused('log_list_unavailable')
    const { version } = list.statement
    const earlier: SignedLogList[] = []
    for (let at = (since ?? version) + 1; at < version && earlier.length < MAX_EARLIER_LISTS; at++) {
      const one = this.#store.list(at)
      if (one) earlier.push(one)
    }
    return { list, earlier }
  }

  /** A log by its name, or the newest of its series. */
  served(series: LogSeries, name: string | null): ServedLog {
    const log = this.#store.logs(series).findLast((one) => name === null || one.name === name)
    if (!log) throw new Refused(name === null ? 'log_unavailable' : 'not_found')
    return servedOf(log)
  }

  checkpoint(series: LogSeries, name: string | null): StoredHead {
    return this.served(series, name).head
  }

  entries(series: LogSeries, name: string | null, bundle: number) {
    const { log, size } = this.served(series, name)
    const from = bundle * TILE_WIDTH
    if (from >= size) throw new Refused('not_found')
    const end = Math.min(from + TILE_WIDTH, size)
    const entries = log.lines(from, end)
    return { log: log.name, from, entries, size: entries.length === TILE_WIDTH ? end : size }
  }

  /** That the first leaves are a prefix of the log at `second`, by default the verified size. */
  async consistency(series: LogSeries, name: string | null, first: number, second: number | null) {
    const { log, size, head } = this.served(series, name)
    const to = second ?? size
    const isInRange = first >= 1 && first <= to && to <= size
    return isInRange ? { log: log.name, first, second: to, proof: await log.consistency(first, to), head } : null
  }
}

/** The answers of a key directory. */
export class DirectoryAnswers {
  readonly #store: MirrorStore
  readonly #logs: LogAnswers

  constructor(store: MirrorStore, logs: LogAnswers) {
    this.#store = store
    this.#logs = logs
  }

  checkpoint(name: string | null): CheckpointAnswer {
    const { checkpoint, cosignatures } = this.#logs.checkpoint('transparency', name)
    return { checkpoint: directoryCheckpoint(checkpoint), cosignatures: [...cosignatures] }
  }

  async audit(name: string | null, first: number, second: number | null): Promise<AuditAnswer> {
    const found = await this.#logs.consistency('transparency', name, first, second)
    if (!found) throw new Refused('not_found')
    const { head, ...proved } = found
    return { ...proved, checkpoint: directoryCheckpoint(head.checkpoint) }
  }

  /** What the newest recomputed map has for an account, by its label: only the directory can tell the label of a DID. */
  async account(label: string): Promise<AccountAnswer> {
    const { path, counted, log, index, leaf } = this.#found(label)
    const { head, size } = servedOf(log)
    return {
      label,
      result: counted.seq === 0 ? 'absent' : 'present',
      ...counted,
      ...path,
      map: { leaf, position: { log: log.name, index }, proof: await log.inclusion(index, size) },
      checkpoint: directoryCheckpoint(head.checkpoint),
    }
  }

  /** The statement hashes that fold the head at `since` into that of the same map. */
  accountAudit(label: string, since: number): AccountAudit {
    const { counted, log } = this.#found(label)
    // The mirror is behind what the caller knows.
    if (since > counted.seq) throw new Refused('not_found')
    const statementHashes = this.#store
      .updatesOf(label)
      .slice(since, Math.min(since + MAX_AUDITED_UPDATES, counted.seq))
      .map(({ statementHash }) => statementHash)
    const { seq, head } = counted
    return { label, since, statementHashes, seq, head, checkpoint: directoryCheckpoint(servedOf(log).head.checkpoint) }
  }

  #found(label: string) {
    const { map } = this.#store
    const found = map.state && this.#store.locate(mapLeafId(map.state.epoch))
    if (!found) throw new Refused('log_unavailable')
    const path = map.path(label)
    const counted = valueFor(label, path.terminal)
    return { path, counted, log: found.log, index: found.index, leaf: found.line }
  }

  /** The proof of an update by its leaf id. */
  async inclusion(leafId: string): Promise<InclusionAnswer> {
    const found = this.#store.locate(leafId)
    if (!found || leafIdOfEntry(found.line) !== leafId) throw new Refused('not_found')
    const { log, index, line } = found
    const { head, size } = servedOf(log)
    const { seq, agreedAt } = updateEntrySchema.loose().parse(readEntry(line).value)
    const proof = await log.inclusion(index, size)
    return {
      leafId,
      seq,
      ...(agreedAt !== undefined && { agreedAt }),
      position: { log: log.name, index },
      proof,
      checkpoint: directoryCheckpoint(head.checkpoint),
    }
  }
}

export function servedOf(log: StoredLog): ServedLog {
  const { head } = log
  if (!head) throw new Refused('not_found')
  return { log, head, size: head.checkpoint.statement.size }
}

function directoryCheckpoint(checkpoint: LogCheckpoint): DirectoryCheckpoint {
  if (checkpoint.statement.type !== 'svc/transparency-checkpoint/v1') throw new Refused('not_found')
  return checkpoint as DirectoryCheckpoint
}
