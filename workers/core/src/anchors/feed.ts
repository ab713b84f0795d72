import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type AnchorBodies,
  type AnchorBody,
  MAX_PAGE_BODIES,
  MAX_PAGE_BODY_BYTES,
} from '@svc/protocol/ledger/anchor-feed'
import {
  MAX_PAGE_PUBLICATIONS,
  PUBLICATION_SETTLED_MS,
  type PublicationsPage,
} from '@svc/protocol/ledger/anchor-publications'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import { anchorLeafOfLine } from '@svc/protocol/ledger/withheld'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { KeptLogs } from '@svc/service'
import { BodyBundles } from './body-bundles.ts'
import { AnchorFiles } from './files.ts'

/** Bodies that are read at once, and the most that are read in vain when a page is full. */
const READ_AT_ONCE = 16

/** Names the list in its cursors. */
const PUBLICATIONS = ['anchor-publications']

type NotFound = { readonly reason: 'not_found' }

/**
 * Bodies of a log, and the reports of the publisher, in bulk, for mirrors. Everything comes from files that never change; the
 * log's object only gives the size.
 */
export class AnchorFeed {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #bundles: BodyBundles
  readonly #files: AnchorFiles

  constructor(logs: KeptLogs<SignedCheckpoint>, bucket: R2Bucket) {
    this.#logs = logs
    this.#bundles = new BodyBundles(bucket)
    this.#files = new AnchorFiles(bucket)
  }

  /** The bodies from a leaf on, up to the end of its bundle of entries, of the log or of a page. */
  async bodies(log: string | undefined, from: number): Promise<Result<AnchorBodies, NotFound>> {
    const bundle = await this.#logs.entries(log, Math.floor(from / TILE_WIDTH))
    if (!bundle.ok || from >= bundle.value.size) return err({ reason: 'not_found' })
    const { log: name, entries, from: first } = bundle.value
    const lines = entries.slice(from - first, from - first + MAX_PAGE_BODIES)
    const bodies: AnchorBody[] = []
    const withheld: number[] = []
    let bytes = 0
    for (let at = 0; at < lines.length; at += READ_AT_ONCE) {
      for (const { index, body, isWithheld } of await this.#read(name, lines.slice(at, at + READ_AT_ONCE), from + at)) {
        bytes += body ? JSON.stringify(body).length : 0
        if (bytes > MAX_PAGE_BODY_BYTES && bodies.length > 0)
          return ok({ log: name, from, to: index, bodies, withheld, isFull: true })
        if (body) bodies.push(body)
        if (isWithheld) withheld.push(index)
      }
    }
    const to = from + lines.length
    const isFull = lines.length === MAX_PAGE_BODIES || to % TILE_WIDTH === 0
    return ok({ log: name, from, to, bodies, withheld, isFull })
  }

  /** Reports of the publisher after a cursor. Those of the last minutes are not there yet: others may come between them. */
  async publications(
    after: string | undefined,
    now: number,
  ): Promise<Result<PublicationsPage, { readonly reason: 'invalid_cursor' }>> {
    const place = after === undefined ? null : placeOf(after)
    if (after !== undefined && !place) return err({ reason: 'invalid_cursor' })
    const publications = await this.#files.reportsAfter(place, now - PUBLICATION_SETTLED_MS, MAX_PAGE_PUBLICATIONS)
    const last = publications.at(-1)?.statement
    const next = last ? encodeCursor(PUBLICATIONS, [last.issuedAt, last.nonce]) : (after ?? null)
    return ok({ publications, next, isFull: publications.length === MAX_PAGE_PUBLICATIONS })
  }

  async #read(log: string, lines: readonly string[], from: number) {
    const leaves = lines.map(anchorLeafOfLine)
    const places = leaves.flatMap((leaf, i) => (leaf === null ? [] : [{ leaf, log, index: from + i }]))
    const bodies = (await this.#bundles.read(places)).values()
    return leaves.map((leaf, i) => {
      const index = from + i
      const body = leaf === null ? undefined : bodies.next().value
      return { index, body: body ? { index, ...body } : null, isWithheld: body === null }
    })
  }
}

function placeOf(cursor: string): { readonly issuedAt: number; readonly nonce: string } | null {
  const place = decodeCursor(PUBLICATIONS, cursor)
  if (typeof place !== 'object' || place?.length !== 2) return null
  const [issuedAt, nonce] = place
  return typeof issuedAt === 'number' && typeof nonce === 'string' ? { issuedAt, nonce } : null
}
