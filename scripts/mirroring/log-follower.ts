import type { Realms } from '@svc/protocol/base/realm'
import type { Result } from '@svc/protocol/base/result'
import { epochOfLeafId, mapLeafId } from '@svc/protocol/keys/account-map'
import { updateEntrySchema } from '@svc/protocol/keys/account-updates'
import { verifyCosignature } from '@svc/protocol/keys/cosignature'
import { loggedAnchorOf } from '@svc/protocol/ledger/anchor-feed'
import { readEntry } from '@svc/protocol/merkle/entries'
import { verifyEnd, verifyListedCheckpoint, verifyOpening } from '@svc/protocol/merkle/in-log'
import type { ListedLog, LogList } from '@svc/protocol/merkle/log-list'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { Contradiction } from './contradiction.ts'
import type { LogSource } from './log-source.ts'
import { itemsOf, type MirrorStore } from './mirror-store.ts'
import type { NewLeaf, StoredBody, StoredHead, StoredLog } from './stored-log.ts'

export interface FollowedLog {
  readonly log: string
  readonly size: number
}

/**
 * Follows the logs of one series, from one period to the next, without trusting the service: recomputes the tree of each
 * from its entries, and stores a checkpoint once the leaves hash to its root. Every step is stored before the next.
 */
export class LogFollower {
  readonly #source: LogSource
  readonly #store: MirrorStore
  readonly #realms: Realms

  constructor(source: LogSource, store: MirrorStore, realms: Realms) {
    this.#source = source
    this.#store = store
    this.#realms = realms
  }

  /** To the end of the open log. Throws a `Contradiction` if the service cannot have signed honestly what it shows. */
  async follow(list: LogList, now: () => number): Promise<FollowedLog[]> {
    const followed: FollowedLog[] = []
    const firsts = list.logs.filter(
      ({ series, state, previous }) => series === this.#source.series && previous === null && state !== 'announced',
    )
    for (const first of firsts) {
      for (let listed: ListedLog | null = first; listed && listed.state !== 'announced'; )
        listed = await this.#one(listed, list, now, followed)
    }
    return followed
  }

  /** One log to its end; with the log that continues it, if it was closed. */
  async #one(listed: ListedLog, list: LogList, now: () => number, followed: FollowedLog[]): Promise<ListedLog | null> {
    const { log, series } = listed
    const stored = this.#store.log(log, series)
    if (stored.isClosed) return list.logs.find(({ previous }) => previous?.log === log) ?? null
    const head = await this.#shownHead(listed, list, stored)
    const { size, root } = head.checkpoint.statement
    try {
      await this.#readLeaves(stored, size, list)
      if ((await stored.root(size)) !== root) throw new Contradiction('rewritten', { known: stored.head, shown: head })
      await this.#readBodies(stored, size)
    } catch (error) {
      if (error instanceof Contradiction) stored.forgetUnverified()
      throw error
    }
    const [last = ''] = size === 0 ? [] : stored.lines(size - 1, size)
    const end = size === 0 ? null : sound(verifyEnd({ log, size, root }, last, list), stored.head, head)
    stored.advance(head, now(), listed.final !== null)
    followed.push({ log, size })
    return end?.next ?? null
  }

  /** The newest checkpoint, which does not contradict the one before. A closed log ends with that of the list. */
  async #shownHead({ log, final }: ListedLog, list: LogList, stored: StoredLog): Promise<StoredHead> {
    const shown = final ? { checkpoint: final, cosignatures: [] } : await this.#source.head(log)
    const { checkpoint } = shown
    const known = stored.head
    if (checkpoint.statement.log !== log) throw new Contradiction('wrong_log', { known, shown })
    sound(await verifyListedCheckpoint(checkpoint, list, this.#realms), known, shown)
    const cosignatures = []
    for (const cosignature of shown.cosignatures)
      if (await verifyCosignature(cosignature, this.#realms)) cosignatures.push(cosignature)
    if (!known) return { checkpoint, cosignatures }
    const [before, after] = [known.checkpoint.statement, checkpoint.statement]
    // Both are signed: a root that is not the one of these leaves is a second history.
    if (after.size <= before.size && (await stored.root(after.size)) !== after.root)
      throw new Contradiction('fork', { known, shown })
    if (after.size >= before.size) return { checkpoint, cosignatures }
    // An answer from a cache, signed before the one that is known.
    if (after.issuedAt <= before.issuedAt) return known
    throw new Contradiction('shrunk', { known, shown })
  }

  async #readLeaves(stored: StoredLog, size: number, list: LogList): Promise<void> {
    for (let at = stored.read.leaves; at < size; at = stored.read.leaves) {
      const bundle = Math.floor(at / TILE_WIDTH)
      const { from, entries } = await this.#source.entries(stored.name, bundle)
      const lines = from === bundle * TILE_WIDTH ? entries.slice(at - from, size - from) : []
      const [first] = lines
      if (first === undefined)
        throw new Contradiction('missing_leaf', { known: stored.head, shown: { log: stored.name, index: at } })
      if (at === 0) sound(verifyOpening(stored.name, first, list), null, first)
      stored.append(this.#leavesOf(stored, lines))
    }
  }

  /** Looked up by their ids, each once; maps, and the updates of an account, are numbered without a gap. */
  #leavesOf(stored: StoredLog, lines: readonly string[]): NewLeaf[] {
    const seen = new Set<string>()
    const seqs = new Map<string, number>()
    return lines.map((line) => {
      const item = this.#idOf(line)
      if (item === null) return { line, item }
      if (seen.has(item) || this.#has(item))
        throw new Contradiction('repeated_leaf', { known: stored.head, shown: line })
      const epoch = epochOfLeafId(item) ?? 1
      // Ids are there once, so maps whose predecessor is there are numbered without a gap.
      const follows = epoch === 1 || seen.has(mapLeafId(epoch - 1)) || this.#has(mapLeafId(epoch - 1))
      if (!follows) throw new Contradiction('out_of_order', { known: stored.head, shown: line })
      seen.add(item)
      const update = updateEntrySchema.loose().safeParse(readEntry(line).value)
      if (update.success) {
        const { label, seq } = update.data
        const before = seqs.get(label) ?? this.#updatesOf(label)
        if (seq !== before + 1) throw new Contradiction('out_of_order', { known: stored.head, shown: line })
        seqs.set(label, seq)
      }
      return { line, item }
    })
  }

  /** A line that is not of its kind's form has no id: it is a leaf all the same. */
  #idOf(line: string): string | null {
    try {
      return this.#source.itemOf(line)
    } catch {
      return null
    }
  }

  #has(item: string): boolean {
    return this.#store.get('SELECT 1 FROM leaves WHERE item = ?', item) !== null
  }

  #updatesOf(label: string): number {
    const row = this.#store.get(
      'SELECT count(*) AS updates FROM leaves WHERE item >= ? AND item < ?',
      ...itemsOf(label),
    )
    return Number(row?.['updates'] ?? 0)
  }

  async #readBodies(stored: StoredLog, size: number): Promise<void> {
    if (!this.#source.bodies) return
    // They may have been in transit, or are shown again.
    for (const index of stored.missing()) await this.#readPage(stored, index, index + 1)
    for (let at = stored.read.bodies; at < size; at = stored.read.bodies) await this.#readPage(stored, at, size)
  }

  async #readPage(stored: StoredLog, at: number, end: number): Promise<void> {
    const page = await this.#source.bodies?.(stored.name, at)
    const to = Math.min(page?.to ?? at, end)
    if (page?.from !== at || to <= at)
      throw new Contradiction('missing_leaf', { known: stored.head, shown: { log: stored.name, index: at } })
    const bodies: StoredBody[] = []
    const missing: number[] = []
    for (const [i, line] of stored.lines(at, to).entries()) {
      const index = at + i
      const body = page.bodies.find((one) => one.index === index)
      const anchor = await loggedAnchorOf(line, body, this.#realms)
      if (!anchor.ok && anchor.error.reason === 'missing_body') missing.push(index)
      else if (!anchor.ok) throw new Contradiction(anchor.error.reason, { known: { index, line }, shown: body ?? null })
      if (!anchor.ok || !anchor.value) continue
      // A salt of its own would give the same anchor two leaves.
      const { anchorId } = anchor.value
      if (stored.hasAnchor(anchorId) || bodies.some((other) => other.anchor.anchorId === anchorId))
        throw new Contradiction('repeated_leaf', { known: stored.head, shown: { index, line, body } })
      bodies.push({ index, anchor: anchor.value })
    }
    stored.putBodies(bodies, missing, to)
  }
}

function sound<T>(checked: Result<T, { readonly reason: string }>, known: unknown, shown: unknown): T {
  if (checked.ok) return checked.value
  throw new Contradiction(checked.error.reason, { known, shown })
}
