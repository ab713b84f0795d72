/** A deployment in memory that a mirror can follow, and that can lie. */
import type { Preferences } from '@svc/protocol/consent/consent'
import { newestSnapshotTime } from '@svc/protocol/consent/snapshot'
import { updateLine } from '@svc/protocol/keys/account-updates'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import type { PublicationsPage } from '@svc/protocol/ledger/anchor-publications'
import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import {
  type FixtureLog,
  fixtureLog,
  ISSUED_AT,
  openedEntry,
  rolledLog,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { anchorLog, anchorNo, DECLARED, lineNo, mapNo, NOW, OTHER, snapshotPage } from './signed-parts.fixture.ts'

/** One list for all deployments: its final checkpoint would be signed anew, and be another list. */
const rolled = await rolledLog('transparency', [
  // The second update has no map before the next log.
  [lineNo(1), updateLine(OTHER), mapNo(1, 3, 1), lineNo(2)],
  [lineNo(3), mapNo(2, 2, 3)],
])
/** The open log of the directory, with more entries. */
export const openDirectory = (extra: readonly string[]): FixtureLog =>
  fixtureLog('transparency', rolled.second.log, rolled.second.key, [...rolled.second.lines, ...extra])
const list = await signedList({ logs: [openedEntry('anchors', anchorLog([]), null), ...rolled.list.statement.logs] })

/** What the services show, which a test can change. Core's discovery document is not served: the mirror knows it. */
export class FakeDeployment {
  anchors: LoggedAnchor[]
  anchorLog: FixtureLog
  /** Closed and open log of the directory. */
  directory: readonly FixtureLog[]
  list: SignedLogList
  earlier: SignedLogList[] = []
  /** Number of leaves that the anchor log shows; all by default. */
  size: number | undefined
  issuedAt = ISSUED_AT
  /** What is declared, as the snapshot has it. */
  declared: Preferences | null = DECLARED
  /** Reports of the publisher, two in a page. */
  publications: SignedPublication[] = []
  /** Leaves whose bodies it does not show. */
  readonly hidden = new Set<number>()
  isDown = false
  readonly asked: string[] = []

  private constructor(parts: Pick<FakeDeployment, 'anchors' | 'directory' | 'list'>) {
    this.anchors = parts.anchors
    this.anchorLog = anchorLog(parts.anchors)
    this.directory = parts.directory
    this.list = parts.list
  }

  static async create(count = 3): Promise<FakeDeployment> {
    const anchors = await Promise.all(Array.from({ length: count }, (_, i) => anchorNo(i)))
    return new FakeDeployment({ anchors, directory: [rolled.first, rolled.second], list })
  }

  async add(count: number): Promise<void> {
    const from = this.anchors.length
    const added = await Promise.all(Array.from({ length: count }, (_, i) => anchorNo(from + i)))
    this.anchors = [...this.anchors, ...added]
    this.anchorLog = anchorLog(this.anchors)
    this.issuedAt += 1
  }

  readonly fetch = async (address: string): Promise<Response> => {
    const url = new URL(address)
    this.asked.push(url.pathname)
    if (this.isDown) throw new TypeError('fetch failed')
    const answer = await this.#answer(url)
    return answer === null
      ? Response.json({ success: false, error: 'not_found' }, { status: 404 })
      : Response.json(answer)
  }

  async #answer({ pathname, searchParams }: URL): Promise<unknown> {
    const data = (value: unknown) => value && { success: true, data: value, timestamp: NOW }
    if (pathname === '/api/logs' || pathname === '/api/transparency/logs')
      return data({ list: this.list, earlier: searchParams.has('since') ? this.earlier : [] })
    if (pathname === '/api/v1/consent/snapshot')
      return snapshotPage(
        Number(searchParams.get('bucket')),
        Number(searchParams.get('at') ?? newestSnapshotTime(NOW)),
        this.declared,
      )
    if (pathname === '/api/anchors/feed/publications') return this.#publications(searchParams.get('after'))
    const [, series = '', what = '', id = ''] =
      /^\/api\/(anchors|transparency)\/(?:feed\/)?([a-z]+)(?:\/(\d+))?$/.exec(pathname) ?? []
    if (series === 'anchors') return this.#anchors(what, Number(id))
    return data(await this.#updates(what, Number(id), searchParams.get('log')))
  }

  async #anchors(what: string, number: number): Promise<unknown> {
    const { log, lines, checkpoint } = this.anchorLog
    const size = this.size ?? lines.length
    if (what === 'checkpoint') return checkpoint(size, { issuedAt: this.issuedAt })
    if (what === 'entries') return bundleOf(log, lines.slice(0, size), number)
    if (what !== 'bodies') return null
    const to = Math.min(number + 64, (Math.floor(number / 256) + 1) * 256, size)
    const shown = this.anchors
      .map((anchor, i) => ({ index: i + 1, ...anchor }))
      .filter(({ index }) => index >= number && index < to)
    const bodies = shown.filter(({ index }) => !this.hidden.has(index))
    const withheld = shown.flatMap(({ index }) => (this.hidden.has(index) ? [index] : []))
    return { log, from: number, to, bodies, withheld, isFull: to < size }
  }

  #publications(after: string | null): PublicationsPage {
    const from = Number(after?.slice(1) ?? 0)
    const publications = this.publications.slice(from, from + 2)
    const next = publications.length > 0 ? `c${from + publications.length}` : after
    return { publications, next, isFull: publications.length === 2 }
  }

  async #updates(what: string, bundle: number, name: string | null): Promise<unknown> {
    const found = this.directory.find(({ log }) => log === name)
    if (!found) return null
    if (what === 'checkpoint')
      return { checkpoint: await found.checkpoint(found.lines.length, { issuedAt: this.issuedAt }), cosignatures: [] }
    return what === 'entries' ? bundleOf(found.log, found.lines, bundle) : null
  }
}

function bundleOf(log: string, lines: readonly string[], bundle: number): unknown {
  const from = bundle * 256
  if (from >= lines.length) return null
  return { log, from, entries: lines.slice(from, from + 256), size: lines.length }
}
