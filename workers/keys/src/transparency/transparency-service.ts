import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import type { DeploymentSigner } from '@svc/protocol/deployment-signer'
import { toHex } from '@svc/protocol/hash'
import type { MerkleLog } from '@svc/protocol/merkle-log'
import { overTiles, TILE_WIDTH } from '@svc/protocol/merkle-tiles'
import { err, ok, type Result } from '@svc/protocol/result'
import {
  type AuditAnswer,
  type DirectoryCheckpoint,
  type DirectoryLeaf,
  directoryLeafSchema,
  type InclusionAnswer,
  type SignedCosignature,
  verifyCosignature,
} from '@svc/protocol/transparency'
import type { ProofCache } from './proof-cache.ts'
import type { TileStore } from './tile-store.ts'
import type { LogHead, TransparencyLogObject } from './transparency-log-object.ts'

type Missing = { readonly reason: 'not_found' | 'log_unavailable' }
export type CosignRefusal = {
  readonly reason: 'unknown_signer' | 'invalid_signature' | 'not_found' | 'log_fork'
}
type LogStub = DurableObjectStub<TransparencyLogObject>

/** Proofs over the log: its object says how large it is, and the tiles, which never change, say the rest. */
export class TransparencyService {
  readonly #logs: DurableObjectNamespace<TransparencyLogObject>
  readonly #tiles: TileStore
  readonly #cache: ProofCache
  readonly #signer: DeploymentSigner
  readonly #origin: string
  readonly #witnesses: ReadonlySet<string>

  constructor(parts: {
    readonly logs: DurableObjectNamespace<TransparencyLogObject>
    readonly tiles: TileStore
    readonly cache: ProofCache
    readonly signer: DeploymentSigner
    readonly origin: string
    readonly witnesses: readonly string[]
  }) {
    this.#logs = parts.logs
    this.#tiles = parts.tiles
    this.#cache = parts.cache
    this.#signer = parts.signer
    this.#origin = parts.origin
    this.#witnesses = new Set(parts.witnesses)
  }

  /** What the log is now, signed now; null where the deployment has no key for it. */
  async checkpoint(
    now: number,
  ): Promise<{ readonly checkpoint: DirectoryCheckpoint; readonly cosignatures: SignedCosignature[] } | null> {
    const head = await this.#log(async (log) => log.head())
    const checkpoint = await this.#sign(head, now)
    return checkpoint && { checkpoint, cosignatures: await this.#log(async (log) => log.cosignatures()) }
  }

  inclusion(leafId: string, now: number): Promise<Result<InclusionAnswer, Missing>> {
    return this.#cache.find(`proof/${leafId}`, now, () => this.#inclusion(leafId, now))
  }

  /** That the first leaves are a prefix of the log as it is, or as it was at `second`. */
  audit(first: number, second: number | null, now: number): Promise<Result<AuditAnswer, Missing>> {
    const path = `audit/${first}${second === null ? '' : `-${second}`}`
    return this.#cache.find(path, now, () => this.#audit(first, second, now))
  }

  async #inclusion(leafId: string, now: number): Promise<Result<InclusionAnswer, Missing>> {
    const { index, ...head } = await this.#log(async (log) => log.locate(leafId))
    if (index === null) return err({ reason: 'not_found' })
    const [checkpoint, proof] = await Promise.all([
      this.#sign(head, now),
      this.#over(head, (log) => log.inclusion(index, head.size).map(toHex)),
    ])
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ leafId, index, proof, checkpoint })
  }

  async #audit(first: number, second: number | null, now: number): Promise<Result<AuditAnswer, Missing>> {
    const head = await this.#log(async (log) => log.head())
    const to = second ?? head.size
    if (first < 1 || first > to || to > head.size) return err({ reason: 'not_found' })
    const [checkpoint, proof] = await Promise.all([
      this.#sign(head, now),
      this.#over(head, (log) => log.consistency(first, to).map(toHex)),
    ])
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ first, second: to, proof, checkpoint })
  }

  /** One bundle of entries as far as the log has it. */
  async entries(
    bundle: number,
  ): Promise<Result<{ from: number; entries: DirectoryLeaf[]; size: number }, { reason: 'not_found' }>> {
    const { size } = await this.#log(async (log) => log.head())
    const from = bundle * TILE_WIDTH
    if (from >= size) return err({ reason: 'not_found' })
    const lines = await this.#tiles.bundle(bundle, size)
    return ok({ from, entries: lines.map(leafOf), size })
  }

  /** A witness whom the deployment knows says that it has seen a state of this log. Another root is a fork. */
  async cosign(cosignature: SignedCosignature): Promise<Result<SignedCosignature, CosignRefusal>> {
    const { log: origin, size, root } = cosignature.statement
    if (!this.#witnesses.has(cosignature.publicKeyB64u)) return err({ reason: 'unknown_signer' })
    if (!(await verifyCosignature(cosignature))) return err({ reason: 'invalid_signature' })
    const head = await this.#log(async (log) => log.head())
    if (origin !== this.#origin || size > head.size) return err({ reason: 'not_found' })
    const had = size === head.size ? head.root : await this.#over(head, (log) => toHex(log.root(size)))
    if (had !== root) return err({ reason: 'log_fork' })
    await this.#log(async (log) => log.cosign(cosignature))
    return ok(cosignature)
  }

  #sign({ size, root }: LogHead, now: number): Promise<DirectoryCheckpoint | null> {
    const log = this.#origin
    return this.#signer.sign({ type: 'svc/transparency-checkpoint/v1', log, size, root, issuedAt: now } as const)
  }

  #over<T>(head: LogHead, work: (log: MerkleLog) => T): Promise<T> {
    return overTiles(head, work, (tile) => this.#tiles.tile(tile, head.size))
  }

  /** The only writer of the order; one that cannot be reached is a fault. */
  #log<T>(work: (log: LogStub) => Promise<T>): Promise<T> {
    return reaching('transparency log', () => work(this.#logs.getByName('log')))
  }
}

function leafOf(line: string): DirectoryLeaf {
  const parsed = directoryLeafSchema.safeParse(JSON.parse(line))
  if (!parsed.success) throw new DependencyFault('tiles')
  return parsed.data
}
