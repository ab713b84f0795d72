import { type AnchorBodies, MAX_PAGE_BODIES, MAX_PAGE_BODY_BYTES } from '@svc/protocol/ledger/anchor-feed'
import {
  MAX_PAGE_PUBLICATIONS,
  type PublicationsOfAnchor,
  type PublicationsPage,
  publishedAs,
} from '@svc/protocol/ledger/anchor-publications'
import {
  type AnchorList,
  type AnchorListItem,
  type AnchorRecord,
  MAX_PAGE_ANCHOR_BYTES,
  type SignedCheckpoint,
  type SignedPublication,
} from '@svc/protocol/ledger/anchors'
import type { AnchorBundle } from '@svc/protocol/ledger/bundle/anchor-bundle'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { listedLog } from '@svc/protocol/merkle/log-list'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { type LogAnswers, Refused, servedOf } from './log-answers.ts'
import type { MirrorStore } from './mirror-store.ts'
import { bodyOf, type StoredBody, type StoredLog } from './stored-log.ts'

/** `items`, `count` and a cursor around the items. */
const FRAME_BYTES = 1_024

export interface AnchorQuery {
  readonly owner: string | null
  readonly limit: number
  readonly cursor: string | null
  readonly withAttestations: boolean
}

/** Names the list of reports in its cursors, which are not those of the service: the places differ. */
const PUBLICATIONS = ['mirror', 'anchor-publications']

/** The answers of core about anchors. */
export class AnchorAnswers {
  readonly #store: MirrorStore
  readonly #logs: LogAnswers

  constructor(store: MirrorStore, logs: LogAnswers) {
    this.#store = store
    this.#logs = logs
  }

  checkpoint(name: string | null): SignedCheckpoint {
    return anchorCheckpoint(this.#logs.checkpoint('anchors', name).checkpoint)
  }

  bodies(name: string | null, from: number): AnchorBodies {
    const { log, size } = this.#logs.served('anchors', name)
    if (from >= size) throw new Refused('not_found')
    const bundleEnd = (Math.floor(from / TILE_WIDTH) + 1) * TILE_WIDTH
    const end = Math.min(from + MAX_PAGE_BODIES, bundleEnd, size)
    const bodies: AnchorBodies['bodies'] = []
    let bytes = 0
    for (const { index, anchor } of log.bodies(from, end)) {
      const body = { index, ...anchor }
      bytes += JSON.stringify(body).length
      if (bytes > MAX_PAGE_BODY_BYTES && bodies.length > 0)
        return { log: log.name, from, to: index, bodies, withheld: log.withheld(from, index), isFull: true }
      bodies.push(body)
    }
    const isFull = end === from + MAX_PAGE_BODIES || end === bundleEnd
    return { log: log.name, from, to: end, bodies, withheld: log.withheld(from, end), isFull }
  }

  record(anchorId: string): AnchorRecord {
    const found = this.#store.anchor(anchorId)
    if (!found) throw this.#gone(anchorId)
    return { ...recordOf(found.log, found.body), ...publishedAs(this.#store.publicationsOf(found.body.anchor)) }
  }

  publications(anchorId: string): PublicationsOfAnchor {
    const found = this.#store.anchor(anchorId)
    if (!found) throw this.#gone(anchorId)
    return { anchorId, publications: this.#store.publicationsOf(found.body.anchor) }
  }

  /** In the order of the service. */
  publicationsAfter(after: string | null): PublicationsPage {
    const place = after === null ? 0 : decodeCursor(PUBLICATIONS, after)
    if (typeof place !== 'number') throw new Refused('invalid_cursor')
    const rows = this.#store.all(
      'SELECT no, publication FROM publications WHERE no > ? ORDER BY no LIMIT ?',
      place,
      MAX_PAGE_PUBLICATIONS,
    )
    const last = rows.at(-1)
    return {
      publications: rows.map(({ publication }) => JSON.parse(String(publication)) as SignedPublication),
      next: last ? encodeCursor(PUBLICATIONS, Number(last['no'])) : after,
      isFull: rows.length === MAX_PAGE_PUBLICATIONS,
    }
  }

  async bundle(anchorId: string): Promise<AnchorBundle> {
    // A bundle proves nothing of the reports of the publisher.
    const { chains: _, ...record } = { ...this.record(anchorId), status: 'submitted' as const }
    const name = record.position?.log ?? ''
    const { log, head, size } = this.#logs.served('anchors', name)
    const list = this.#store.newestList()
    const listed = list && listedLog(list.statement, name)
    if (!listed) throw new Refused('log_unavailable')
    const proof = await log.inclusion(record.position?.index ?? -1, size)
    const checkpoint = anchorCheckpoint(head.checkpoint)
    // The feed of core, which a mirror copies, has no cosignatures.
    const states = { first: null, cosigned: [] }
    return { format: 'svc/anchor-bundle/v2', record, log: listed, proof, checkpoint, ...states }
  }

  #gone(anchorId: string): Refused {
    const notice = this.#store.withheldAs(anchorId)
    return notice ? new Refused('withheld', undefined, { ...notice }) : new Refused('not_found')
  }

  /** Newest first, through all logs. */
  list({ owner, limit, cursor, withAttestations }: AnchorQuery): AnchorList {
    // Not the list of the service: its cursors have other places.
    const list = ['mirror', 'anchors', owner]
    const after = cursor === null ? [Number.MAX_SAFE_INTEGER, 0] : decodeCursor(list, cursor)
    if (!Array.isArray(after)) throw new Refused('invalid_cursor')
    const rows = this.#store.all(
      `SELECT log, log_no, idx, anchor FROM bodies JOIN logs USING (log_no)
       WHERE idx < size AND (?1 IS NULL OR owner = ?1) AND (log_no, idx) < (?2, ?3)
       ORDER BY log_no DESC, idx DESC LIMIT ?4`,
      owner,
      Number(after[0]),
      Number(after[1]),
      limit + 1,
    )
    const items: AnchorListItem[] = []
    let bytes = FRAME_BYTES
    for (const row of rows.slice(0, limit)) {
      const logged = itemOf(this.#store.findLog(String(row['log'])), row, withAttestations)
      const item = { ...logged, ...publishedAs(this.#store.publicationsOf(bodyOf(row).anchor)) }
      bytes += JSON.stringify(item).length + 1
      if (bytes > MAX_PAGE_ANCHOR_BYTES && items.length > 0) break
      items.push(item)
    }
    const last = rows.length > items.length ? rows[items.length - 1] : undefined
    const next = last ? encodeCursor(list, [Number(last['log_no']), Number(last['idx'])]) : null
    return { items, count: items.length, cursor: next }
  }
}

function itemOf(log: StoredLog | null, row: Record<string, unknown>, withAttestations: boolean): AnchorListItem {
  if (!log) throw new Error('an anchor is in a log that is not stored')
  const { attestations, ...record } = recordOf(log, bodyOf(row))
  return withAttestations ? { ...record, attestations } : record
}

function recordOf(log: StoredLog, { index, anchor }: StoredBody): AnchorRecord {
  return { ...anchor, status: 'submitted', position: { log: servedOf(log).log.name, index } }
}

function anchorCheckpoint(checkpoint: LogCheckpoint): SignedCheckpoint {
  if (checkpoint.statement.type !== 'svc/anchor-checkpoint/v1') throw new Refused('not_found')
  return checkpoint as SignedCheckpoint
}
