import { Client, DiscoveryError, type Fetch, type Pin, Transport, VerificationError } from '@svc/client'
import type { Realms } from '@svc/protocol/base/realm'
import { keysAt } from '@svc/protocol/http/service-keys'
import { consentSource } from './consent-source.ts'
import { Contradiction } from './contradiction.ts'
import { ListFollower } from './list-follower.ts'
import { type FollowedLog, LogFollower } from './log-follower.ts'
import { anchorSource, directorySource, type LogSource } from './log-source.ts'
import { MapFollower } from './map-follower.ts'
import type { MirrorStore } from './mirror-store.ts'
import { type KeysAt, PublicationFollower, type ReadPublications } from './publication-follower.ts'
import { SnapshotFollower } from './snapshot-follower.ts'
import { WithheldFollower } from './withheld-follower.ts'

export interface MirroredDeployment {
  /** Origin of core; the other services are found in its discovery document. */
  readonly core: string
  /** Of the deployment, if it is not core's origin. */
  readonly realm?: string | undefined
  /** The buckets of consent to keep. */
  readonly buckets: readonly number[]
  readonly fetch?: Fetch
  readonly now?: () => number
}

export type Source = 'discovery' | 'core' | 'keys' | 'consent'

export type Visit =
  | {
      readonly source: Source
      readonly outcome: 'followed'
      readonly logs: readonly FollowedLog[]
      readonly snapshot: number | null
    }
  /** It showed what it cannot have signed honestly: it is not followed again until somebody has looked. */
  | { readonly source: Source; readonly outcome: 'false'; readonly reason: string }
  /** It did not answer, which proves nothing against it. */
  | { readonly source: Source; readonly outcome: 'unreachable'; readonly reason: string }

/** Follows what a deployment publishes in bulk, and stores what it has verified. */
export class Mirror {
  readonly #deployment: MirroredDeployment
  readonly #store: MirrorStore
  readonly #refused = new Map<Source, string>()
  #isStopping = false

  constructor(deployment: MirroredDeployment, store: MirrorStore) {
    this.#deployment = deployment
    this.#store = store
  }

  /** The sources that are not followed any more, and why. */
  get refused(): ReadonlyMap<Source, string> {
    return this.#refused
  }

  /** Ends a visit after the step that it is in. */
  stop(): void {
    this.#isStopping = true
  }

  async *visit(): AsyncGenerator<Visit> {
    const { now = Date.now } = this.#deployment
    const discovered = await this.#tried('discovery', () => this.#discover(now()))
    const pin = (discovered.value ?? this.#store.fact('pin')) as Pin | null
    if (discovered.visit.outcome !== 'followed') yield discovered.visit
    if (!pin) return
    const { core, fetch } = this.#deployment
    const { keys } = pin.document.services
    const transport = new Transport({ realm: pin.realm, now, ...(fetch && { fetch }) })
    const realms: Realms = [pin.realm]
    const lists = new ListFollower(this.#store, realms, pin.logListKeys)
    for (const source of [anchorSource(transport, core), directorySource(transport, keys.url)]) {
      if (this.#isStopping) return
      yield (await this.#tried(source.name, () => this.#logs(source, lists, pin, now))).visit
    }
    if (this.#isStopping || this.#deployment.buckets.length === 0) return
    const snapshot = await this.#tried('consent', () => this.#consent(transport, pin, now))
    yield snapshot.value === undefined ? snapshot.visit : { ...followed('consent'), snapshot: snapshot.value }
  }

  /** The time of the snapshot that is served now. */
  async #consent(transport: Transport, { realm, list, document }: Pin, now: () => number): Promise<number | null> {
    const { buckets } = this.#deployment
    const keys = list?.statement.services ?? []
    const isStopping = () => this.#isStopping
    const read = consentSource(transport, document.services.consent.url)
    const follower = new SnapshotFollower(this.#store, read, { realms: [realm], keys, buckets })
    return follower.follow(now(), isStopping)
  }

  async #logs(source: LogSource, lists: ListFollower, pin: Pin, now: () => number) {
    const realms: Realms = [pin.realm]
    const maps = async () => {
      if (source.series === 'transparency') await new MapFollower(this.#store).follow(() => this.#isStopping)
    }
    // After a kill, there may be leaves that were verified and not counted.
    await maps()
    const { statement } = await lists.follow(source.name, source.lists)
    const follower = new LogFollower(source, this.#store, realms)
    const logs = await this.#withheld(() => follower.follow(statement, now), source, pin)
    await maps()
    if (source.publications) await this.#publications(source.publications, pin)
    return logs
  }

  /** A body that is not shown was withheld, and the log already has the act, or it is missing. */
  async #withheld(follow: () => Promise<FollowedLog[]>, source: LogSource, pin: Pin): Promise<FollowedLog[]> {
    if (source.series !== 'anchors') return follow()
    const trust = { keysAt: listedKeys(pin, 'operation'), realms: [pin.realm] } as const
    const withheld = new WithheldFollower(this.#store, trust)
    const logs = await follow()
    if ((await withheld.follow()).length === 0) return logs
    const again = await follow()
    const [missing] = await withheld.follow()
    if (missing) throw new Contradiction('missing_body', { known: null, shown: missing })
    return again
  }

  async #publications(read: ReadPublications, pin: Pin): Promise<void> {
    const trust = { keysAt: listedKeys(pin, 'publication'), realms: [pin.realm] } as const
    await new PublicationFollower(this.#store, read, trust).follow(() => this.#isStopping)
  }

  /** The document of core and the signed list beside the pin: a list that does not follow is a contradiction. */
  async #discover(now: number): Promise<Pin> {
    const { core, realm, fetch } = this.#deployment
    const pinned = this.#store.fact('pin') as Pin | null
    const client = await Client.connect({
      core,
      now: () => now,
      ...(realm !== undefined && { realm }),
      ...(fetch && { fetch }),
      ...(pinned && { pinned }),
    })
    const { discovery } = client
    if (!discovery) throw new Error('Core has no discovery document')
    this.#store.setFact('pin', discovery.pin)
    return discovery.pin
  }

  /** One source: what it contradicts is kept as evidence, and it is not asked again. */
  async #tried<T>(source: Source, work: () => Promise<T>): Promise<{ readonly visit: Visit; readonly value?: T }> {
    const { now = Date.now } = this.#deployment
    const before = this.#refused.get(source)
    if (before !== undefined) return { visit: { source, outcome: 'false', reason: before } }
    try {
      const value = await work()
      const logs = Array.isArray(value) ? (value as FollowedLog[]) : []
      return { visit: { ...followed(source), logs }, value }
    } catch (error) {
      const found = contradictionOf(error)
      if (!found) return { visit: { source, outcome: 'unreachable', reason: messageOf(error) } }
      const { reason, known, shown } = found
      this.#refused.set(source, reason)
      this.#store.keepEvidence({ source, reason, at: now(), known, shown })
      return { visit: { source, outcome: 'false', reason } }
    }
  }
}

/** The keys of core for a use in the signed list, by the time of what they sign. */
function listedKeys({ list }: Pin, use: 'publication' | 'operation'): KeysAt {
  const services = list?.statement.services ?? []
  return (at) => keysAt(services, { service: 'core', use }, at).map(({ publicKeyB64u }) => publicKeyB64u)
}

function followed(source: Source) {
  return { source, outcome: 'followed', logs: [], snapshot: null } as const
}

function contradictionOf(error: unknown): Contradiction | null {
  if (error instanceof Contradiction) return error
  const isOfList = error instanceof VerificationError && error.subject === 'logs'
  if (!(error instanceof DiscoveryError || isOfList)) return null
  const { reason, evidence } = error
  return new Contradiction(reason, { shown: evidence })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
