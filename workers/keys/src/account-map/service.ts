import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { fromHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { mapLine, mapPath, valueFor } from '@svc/protocol/keys/account-map'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { descend, type Levels, levelsOf, mapRootOf } from '@svc/protocol/keys/map-tree'
import type { AccountAnswer, DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import type { KeptLogs } from '@svc/service'
import type { Labels } from '../labels/labels.ts'
import type { ProofCache } from '../transparency/proof-cache.ts'
import { subtreeOfHead } from './bucket.ts'
import type { MapBucketObject } from './bucket-object.ts'
import type { SignedMap } from './map-store.ts'
import type { AccountMapObject } from './object.ts'
import { MAP_MS } from './publisher.ts'

/** How long an isolate proves from the map that it has read. */
const KEPT_MS = 1_000
/** Updates that no map has this long after the newest one are told to the map's object. */
const LATE_MS = 2 * MAP_MS

export interface AccountMapParts {
  /** Anew for each use: a stub belongs to the request that made it. */
  readonly map: () => DurableObjectStub<AccountMapObject>
  readonly bucketOf: (bucket: number) => DurableObjectStub<MapBucketObject>
  readonly logs: KeptLogs<DirectoryCheckpoint>
  readonly labels: Labels
  readonly cache: ProofCache
}

type NoLog = { readonly reason: 'log_unavailable' }

interface Kept {
  readonly map: SignedMap
  readonly levels: Levels
  readonly root: string
  readonly readAt: number
}

/** Proves what the newest map has for an account: a path to its root, and the log leaf that names the root. */
export class AccountMapService {
  readonly #parts: AccountMapParts
  #kept: Kept | null = null

  constructor(parts: AccountMapParts) {
    this.#parts = parts
  }

  /** Every DID has an answer, with the proof of its label. */
  async ofDid(did: string, now: number): Promise<Result<AccountAnswer, NoLog>> {
    const { label, labelProofB64u } = this.#parts.labels.prove(did)
    const found = await this.ofLabel(label, now)
    return found.ok ? ok({ ...found.value, labelProofB64u }) : found
  }

  /** Without a proof: with it, anyone could test which DID the label belongs to. */
  ofLabel(label: string, now: number): Promise<Result<AccountAnswer, NoLog>> {
    return this.#parts.cache.find(`accounts/proof/${label}`, now, () => this.#account(label, now))
  }

  async #account(label: string, now: number): Promise<Result<AccountAnswer, NoLog>> {
    const { path, kept } = (await this.#pathIn(label, now)) ?? (await this.#pathInNewest(label, now))
    const { terminal } = path
    const { counted, epoch, at, index } = kept.map
    const { log, size } = counted
    const { logs } = this.#parts
    const found = await logs.all.find(log)
    if (!found) throw new DependencyFault('transparency log')
    const { head } = found
    if (head.size > index + 1 && now > at + LATE_MS) await reaching('account map', async () => this.#parts.map().wake())
    const [checkpoint, proof] = await Promise.all([
      logs.checkpoint(found, now),
      logs.reader(log).inclusion(head, index),
    ])
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({
      label,
      result: terminal?.label === label ? 'present' : 'absent',
      ...valueFor(label, terminal),
      ...path,
      map: { leaf: mapLine({ size, root: kept.root, epoch, at }), position: { log, index }, proof },
      checkpoint,
    })
  }

  /** Null if the bucket has gone on, or does not have what the map says. */
  async #pathIn(label: string, now: number) {
    const kept = await this.#current(now)
    const { part, siblings } = descend(kept.levels, bucketOf(label))
    if (part === null) return { kept, path: mapPath(null, siblings) }
    const head = kept.map.heads[part] ?? null
    const found = await reaching('account map', async () => this.#parts.bucketOf(part).path(label, head))
    if (!found.ok) return null
    const below = found.value.siblings.map((sibling) => (sibling === null ? null : fromHex(sibling)))
    return { kept, path: mapPath(found.value.terminal, [...siblings, ...below]) }
  }

  /** After a bucket has gone on: with the map of now. */
  async #pathInNewest(label: string, now: number) {
    this.#kept = null
    const found = await this.#pathIn(label, now)
    if (found) return found
    const { part } = descend((await this.#current(now)).levels, bucketOf(label))
    if (part !== null) await reaching('account map', async () => this.#parts.map().repair(part))
    throw new DependencyFault('account map')
  }

  async #current(now: number): Promise<Kept> {
    const kept = this.#kept
    if (kept && Math.abs(now - kept.readAt) < KEPT_MS) return kept
    const { log } = await this.#parts.logs.all.open()
    const map = await reaching('account map', async () => this.#parts.map().current(log))
    // The parts of one map are joined once.
    const isSame = kept?.map.epoch === map.epoch && kept.map.at === map.at && kept.map.index === map.index
    this.#kept = isSame ? { ...kept, readAt: now } : { ...joinedParts(map), map, readAt: now }
    return this.#kept
  }
}

function joinedParts({ heads }: SignedMap): Pick<Kept, 'levels' | 'root'> {
  const parts = heads.map(subtreeOfHead)
  return { levels: levelsOf(parts), root: mapRootOf(parts) }
}
