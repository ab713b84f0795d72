import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { anchorEntry, anchorEntrySchema, type LoggedAnchor, loggedOf } from '@svc/protocol/ledger/anchor-log'
import { verifySubmission } from '@svc/protocol/ledger/anchor-submission'
import { anchorIdOf, anchorLine, type SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import { entryHash, readEntry } from '@svc/protocol/merkle/entries'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import type { RebuildAnchors } from '@svc/protocol/operator/acts'
import type { KeptLogs } from '@svc/service'
import { BodyBundles } from './body-bundles.ts'
import { AnchorFiles } from './files.ts'
import type { AnchorIndex } from './index-store.ts'
import { WithheldFiles } from './withheld-files.ts'

/** Rows of one D1 batch. */
const ROWS = 50

interface Logged {
  readonly index: number
  readonly line: string
}

/** Writes the rows of a part of a log again, from what R2 has of it. Idempotent: rows that are there stay as they are. */
export class AnchorRebuild {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #files: AnchorFiles
  readonly #bundles: BodyBundles
  readonly #withheld: WithheldFiles
  readonly #index: AnchorIndex
  readonly #realms: Realms

  constructor(parts: {
    readonly logs: KeptLogs<SignedCheckpoint>
    readonly bucket: R2Bucket
    readonly index: AnchorIndex
    readonly realms: Realms
  }) {
    this.#logs = parts.logs
    this.#files = new AnchorFiles(parts.bucket)
    this.#bundles = new BodyBundles(parts.bucket)
    this.#withheld = new WithheldFiles(parts.bucket)
    this.#index = parts.index
    this.#realms = parts.realms
  }

  async run({ log, from, to }: RebuildAnchors, now: number): Promise<Result<void, { reason: 'not_found' }>> {
    const lines = await this.#lines(log, from, to)
    if (lines.length === 0) return err({ reason: 'not_found' })
    const anchors = await this.#anchors(log, lines)
    for (let done = 0; done < anchors.length; done += ROWS) {
      await this.#index.put(log, anchors.slice(done, done + ROWS))
    }
    for (const { anchorId } of anchors) {
      for (const report of await this.#files.reports(anchorId))
        await this.#index.publish(anchorId, report, 'rebuild', now)
    }
    return ok(undefined)
  }

  async #lines(log: string, from: number, to: number): Promise<Logged[]> {
    const found = await this.#logs.all.find(log)
    if (!found) return []
    const { head } = found
    const reader = this.#logs.reader(log)
    const lines: Logged[] = []
    for (let bundle = Math.floor(from / TILE_WIDTH); bundle * TILE_WIDTH < Math.min(to, head.size); bundle++) {
      const read = await reader.entries(head, bundle)
      if (!read.ok) break
      lines.push(...read.value.entries.map((line, i) => ({ index: read.value.from + i, line })))
    }
    return lines.filter(({ index }) => index >= from && index < to)
  }

  /** Only what the log commits to: its body has the hash that was logged, and valid attestations. */
  async #anchors(log: string, lines: readonly Logged[]): Promise<(LoggedAnchor & { readonly index: number })[]> {
    const logged = lines.flatMap(({ index, line }) => {
      const { kind, value } = readEntry(line)
      return kind === 'anchor' ? [{ index, entry: anchorEntrySchema.parse(value), leaf: toHex(entryHash(line)) }] : []
    })
    const places = logged.map(({ index, leaf }) => ({ leaf, log, index }))
    const bodies = await this.#bundles.read(places)
    const anchors = await Promise.all(
      bodies.map(async (body, i) => {
        const { index = -1, entry, leaf = '' } = logged[i] ?? {}
        if (!body) return this.#withheldAt({ log, index }, leaf)
        const isLogged = entry !== undefined && anchorEntry(body) === anchorLine(entry)
        const isOwned = anchorIdOf(body.owner, body.root, body.epoch) === body.anchorId
        if (!isLogged || !isOwned || !(await verifySubmission(body, this.#realms)).ok)
          throw new DependencyFault('anchors', { cause: new Error(`the body of leaf ${index} is not what was logged`) })
        return { ...loggedOf(body), index }
      }),
    )
    return anchors.filter((anchor) => anchor !== null)
  }

  /** Restores the index row of a withholding, without its anchor. */
  async #withheldAt(place: LogPosition, leaf: string): Promise<null> {
    const notice = await this.#withheld.notice(leaf)
    if (!notice) throw new DependencyFault('anchors')
    await this.#index.withhold(place, null, notice)
    return null
  }
}
