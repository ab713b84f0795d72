import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Mirror, type MirroredDeployment, type Visit } from './mirror.ts'
import { mirrorServer } from './mirror-server.ts'
import { MirrorStore } from './mirror-store.ts'
import { servedSnapshot } from './snapshot-follower.ts'

export interface MirrorOptions extends MirroredDeployment {
  /** The SQLite file. */
  readonly state: string
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  readonly everySeconds: number
  /** One line for each thing to know. */
  readonly onLine: (line: string) => void
}

/** The state file is of another deployment. The message says so for people. */
export class ForeignStateError extends Error {
  override readonly name = 'ForeignStateError'
}

/** A mirror that follows and serves until it is stopped. It serves what it has, whether the deployment answers or not. */
export class RunningMirror {
  readonly url: string
  readonly #server: Server
  readonly #store: MirrorStore
  readonly #mirror: Mirror
  readonly #options: MirrorOptions
  readonly #stopping = new AbortController()
  #following: Promise<void> = Promise.resolve()

  private constructor(
    url: string,
    parts: { server: Server; store: MirrorStore; mirror: Mirror; options: MirrorOptions },
  ) {
    this.url = url
    this.#server = parts.server
    this.#store = parts.store
    this.#mirror = parts.mirror
    this.#options = parts.options
  }

  static async start(options: MirrorOptions): Promise<RunningMirror> {
    const { host, port, now = Date.now } = options
    const store = new MirrorStore(options.state)
    const before = store.fact('core')
    if (before !== null && before !== options.core) {
      store.close()
      throw new ForeignStateError(
        `${options.state} is of ${JSON.stringify(before)}: a state file belongs to one deployment`,
      )
    }
    store.setFact('core', options.core)
    const mirror = new Mirror(options, store)
    const server = mirrorServer({
      store,
      now,
      describe: () => describe(store, mirror, options.core),
      isRefusing: () => mirror.refused.size > 0,
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve)
    })
    const { port: opened } = server.address() as AddressInfo
    return new RunningMirror(`http://${host}:${opened}`, { server, store, mirror, options })
  }

  /** Follows the deployment from now on. */
  follow(): void {
    this.#following = this.#follow()
  }

  /** One visit to every source. */
  async visit(): Promise<Visit[]> {
    const visits: Visit[] = []
    for await (const visit of this.#mirror.visit()) {
      visits.push(visit)
      this.#tell(visit)
    }
    return visits
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#mirror.stop()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    await this.#following
    this.#store.close()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.visit()
      await setTimeout(this.#options.everySeconds * 1000, undefined, { signal }).catch(() => {})
    }
  }

  #told = new Map<string, string>()

  /** What has not changed since the last visit is not told again. */
  #tell(visit: Visit): void {
    for (const [about, line] of linesOf(visit, (log) => this.#store.withheldIn(log))) {
      if (this.#told.get(about) === line) continue
      this.#told.set(about, line)
      this.#options.onLine(line)
    }
  }
}

function linesOf(visit: Visit, withheldIn: (log: string) => number): [string, string][] {
  const { source, outcome } = visit
  if (outcome === 'unreachable') return [[source, `${source} could not be followed: ${visit.reason}`]]
  if (outcome === 'false')
    return [
      [
        source,
        `${source} failed verification: ${visit.reason}. It is not followed any more. Run this with --evidence.`,
      ],
    ]
  const logs = visit.logs.map(({ log, size }): [string, string] => {
    const withheld = withheldIn(log)
    return [log, `${log}: verified ${size} leaves${withheld > 0 ? `, ${withheld} withheld by the operator` : ''}`]
  })
  const at = visit.snapshot === null ? [] : [`consent: snapshot of ${new Date(visit.snapshot).toISOString()}`]
  return [...logs, ...at.map((line): [string, string] => [source, line])]
}

function describe(store: MirrorStore, mirror: Mirror, core: string): object {
  const logs = store.logs().map((log) => {
    const { type, size, issuedAt } = log.head?.checkpoint.statement ?? {}
    return {
      log: log.name,
      type,
      size,
      issuedAt,
      verifiedAt: log.verifiedAt,
      isClosed: log.isClosed,
      withheld: store.withheldIn(log.name),
    }
  })
  return {
    mirrorOf: core,
    listVersion: store.newestList()?.statement.version ?? null,
    logs,
    mapEpoch: store.map.state?.epoch ?? null,
    snapshotAt: servedSnapshot(store),
    refused: [...mirror.refused].map(([source, reason]) => ({ source, reason })),
  }
}
