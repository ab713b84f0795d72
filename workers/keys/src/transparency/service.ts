import { BATCH_MS, type OpenLog } from '@svc/log'
import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { leafIdParts, type UpdateEntry } from '@svc/protocol/keys/account-updates'
import { type SignedCosignature, verifyCosignature } from '@svc/protocol/keys/cosignature'
import type { AccountAudit, AuditAnswer, DirectoryCheckpoint, InclusionAnswer } from '@svc/protocol/keys/transparency'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { KeptLogs } from '@svc/service'
import type { AccountDirectoryObject } from '../directory/object.ts'
import { firstMapAfter } from './first-map.ts'
import type { TransparencyLogObject } from './object.ts'
import type { ProofCache } from './proof-cache.ts'

type Missing = { readonly reason: 'not_found' | 'log_unavailable' }
export type CosignRefusal = {
  readonly reason: 'unknown_signer' | 'invalid_signature' | 'not_found' | 'log_fork'
}
interface LeafPlace extends Pick<UpdateEntry, 'agreedAt'> {
  readonly seq: number
  readonly position: LogPosition
}
type LogStub = DurableObjectStub<TransparencyLogObject>

/** Proofs from the logs: their objects give the sizes, and the immutable tiles give the rest. */
export class TransparencyService {
  readonly #objects: DurableObjectNamespace<TransparencyLogObject>
  readonly #logs: KeptLogs<DirectoryCheckpoint>
  readonly #accounts: DurableObjectNamespace<AccountDirectoryObject>
  readonly #cache: ProofCache
  readonly #witnesses: ReadonlySet<string>
  readonly #realms: Realms
  #recent: (OpenLog & { readonly readAt: number }) | null = null

  constructor(parts: {
    readonly objects: DurableObjectNamespace<TransparencyLogObject>
    readonly logs: KeptLogs<DirectoryCheckpoint>
    readonly accounts: DurableObjectNamespace<AccountDirectoryObject>
    readonly cache: ProofCache
    readonly witnesses: readonly string[]
    readonly realms: Realms
  }) {
    this.#objects = parts.objects
    this.#logs = parts.logs
    this.#accounts = parts.accounts
    this.#cache = parts.cache
    this.#witnesses = new Set(parts.witnesses)
    this.#realms = parts.realms
  }

  /** A checkpoint of a log, by default the open one: signed now, or the final one of a closed log. */
  async checkpoint(
    log: string | undefined,
    now: number,
  ): Promise<
    Result<{ readonly checkpoint: DirectoryCheckpoint; readonly cosignatures: SignedCosignature[] }, Missing>
  > {
    const found = await this.#logs.all.find(log)
    if (!found) return err({ reason: 'not_found' })
    const checkpoint = await this.#logs.checkpoint(found, now)
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({
      checkpoint,
      cosignatures: await this.#log(found.log, async (object) => object.cosignatures(found.log)),
    })
  }

  /** In any log, unless one is named. */
  inclusion(
    leafId: string,
    { log, isDated }: { readonly log: string | undefined; readonly isDated: boolean },
    now: number,
  ): Promise<Result<InclusionAnswer, Missing>> {
    const path = `proof/${leafId}${isDated ? '/dated' : ''}`
    return this.#cached(path, log, now, async () => {
      const place = await this.#placeOf(leafId, log)
      if (!place) return err({ reason: 'not_found' })
      return isDated ? this.#dated(leafId, place, now) : this.inclusionAt(leafId, place, now)
    })
  }

  /** The statement hashes that fold the head at `since` into the head now. */
  accountAudit(label: string, since: number, now: number): Promise<Result<AccountAudit, Missing>> {
    return this.#cached(`audit/${label}-${since}`, undefined, now, async () => {
      const [{ seq, head, statementHashes }, checkpoint] = await Promise.all([
        reaching('account directory', async () => this.#accounts.getByName(label).audit(since)),
        this.#newest(now),
      ])
      if (!checkpoint) return err({ reason: 'log_unavailable' })
      return ok({ label, since, statementHashes, seq, head, checkpoint })
    })
  }

  /** Proves that the first leaves of a log are a prefix of what it is now, or was at `second`. */
  audit(
    log: string | undefined,
    first: number,
    second: number | null,
    now: number,
  ): Promise<Result<AuditAnswer, Missing>> {
    const path = `audit/${first}${second === null ? '' : `-${second}`}`
    return this.#cached(path, log, now, () => this.#audit(log, first, second, now))
  }

  async #placeOf(leafId: string, log: string | undefined): Promise<LeafPlace | null> {
    const { label, statementHash } = leafIdParts(leafId)
    const update = await reaching('account directory', () => this.#accounts.getByName(label).findUpdate(statementHash))
    // The account learns the place seconds after the log has taken the update.
    const position = update && (update.position ?? (await this.#located(leafId)))
    if (!position || (log !== undefined && log !== position.log)) return null
    return { ...update, position }
  }

  async #located(leafId: string): Promise<LogPosition | null> {
    const { log } = await this.#logs.all.open()
    const index = await this.#log(log, async (object) => object.locate(log, leafId))
    return index === null ? null : { log, index }
  }

  /** The proof of a leaf whose place is known. */
  async inclusionAt(
    leafId: string,
    { position, ...update }: LeafPlace,
    now: number,
    beyond?: OpenLog,
  ): Promise<Result<InclusionAnswer, Missing>> {
    const found = beyond ?? (await this.#beyond(position, now))
    const [checkpoint, proof] = await Promise.all([
      this.#logs.checkpoint(found, now),
      this.#logs.reader(found.log).inclusion(found.head, position.index),
    ])
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ leafId, ...update, position, proof, checkpoint })
  }

  /** Returns an inclusion proof together with the first map that includes the leaf. */
  async #dated(leafId: string, place: LeafPlace, now: number): Promise<Result<InclusionAnswer, Missing>> {
    const found = await this.#beyond(place.position, now)
    const [answer, map] = await Promise.all([
      this.inclusionAt(leafId, place, now, found),
      firstMapAfter(this.#logs.reader(found.log), found, place.position.index),
    ])
    return answer.ok ? ok({ ...answer.value, map }) : answer
  }

  async #audit(
    log: string | undefined,
    first: number,
    second: number | null,
    now: number,
  ): Promise<Result<AuditAnswer, Missing>> {
    const found = await this.#logs.all.find(log)
    if (!found) return err({ reason: 'not_found' })
    const to = second ?? found.head.size
    const [checkpoint, proof] = await Promise.all([
      this.#logs.checkpoint(found, now),
      this.#logs.reader(found.log).consistency(found.head, first, to),
    ])
    if (!proof.ok) return proof
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ log: found.log, first, second: to, proof: proof.value, checkpoint })
  }

  /** Stores a configured witness's cosignature of a state of a log. A different root is a fork. */
  async cosign(cosignature: SignedCosignature): Promise<Result<SignedCosignature, CosignRefusal>> {
    const { log, size, root } = cosignature.statement
    if (!this.#witnesses.has(cosignature.publicKeyB64u)) return err({ reason: 'unknown_signer' })
    if (!(await verifyCosignature(cosignature, this.#realms))) return err({ reason: 'invalid_signature' })
    const found = await this.#logs.all.find(log)
    if (!found || size > found.head.size) return err({ reason: 'not_found' })
    if ((await this.#logs.reader(log).root(found.head, size)) !== root) return err({ reason: 'log_fork' })
    await this.#log(log, async (object) => object.cosign(cosignature))
    return ok(cosignature)
  }

  async #newest(now: number): Promise<DirectoryCheckpoint | null> {
    return this.#logs.checkpoint(await this.#logs.all.open(), now)
  }

  /** A head of the last second, so that proofs of many leaves cost the log's object one call per second and isolate. */
  async #beyond({ log, index }: LogPosition, now: number): Promise<OpenLog> {
    const recent = this.#recent
    if (recent?.log === log && recent.head.size > index && Math.abs(now - recent.readAt) < BATCH_MS) return recent
    const found = { log, head: await this.#log(log, async (object) => object.head(log)) }
    this.#recent = { ...found, readAt: now }
    return found
  }

  #cached<T, E>(
    path: string,
    log: string | undefined,
    now: number,
    make: () => Promise<Result<T, E>>,
  ): Promise<Result<T, E>> {
    // What the open log answers may be about another one; a named log answers for itself.
    const name = log === undefined ? 'open' : `named/${log}`
    return this.#cache.find(`${encodeURIComponent(name)}/${path}`, now, make)
  }

  /** The only writer of the order. Throws a fault if it is unreachable. */
  #log<T>(log: string, work: (object: LogStub) => Promise<T>): Promise<T> {
    return reaching('transparency log', () => work(this.#objects.getByName(log)))
  }
}
