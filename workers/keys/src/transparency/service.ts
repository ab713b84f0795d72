import { BATCH_MS, type EntryBundle, type LogFiles, type LogHead, LogReader } from '@svc/log'
import { reaching } from '@svc/protocol/base/dependency-fault'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { accountLabel, leafIdParts } from '@svc/protocol/keys/account-updates'
import {
  type AccountAudit,
  type AuditAnswer,
  type DirectoryCheckpoint,
  type InclusionAnswer,
  type SignedCosignature,
  verifyCosignature,
} from '@svc/protocol/keys/transparency'
import type { AccountDirectoryObject } from '../directory/object.ts'
import type { TransparencyLogObject } from './object.ts'
import type { ProofCache } from './proof-cache.ts'

type Missing = { readonly reason: 'not_found' | 'log_unavailable' }
export type CosignRefusal = {
  readonly reason: 'unknown_signer' | 'invalid_signature' | 'not_found' | 'log_fork'
}
type LogStub = DurableObjectStub<TransparencyLogObject>

/** Proofs from the log: its object gives the size, and the immutable tiles give the rest. */
export class TransparencyService {
  readonly #logs: DurableObjectNamespace<TransparencyLogObject>
  readonly #accounts: DurableObjectNamespace<AccountDirectoryObject>
  readonly #namespace: string
  readonly #reader: LogReader
  readonly #cache: ProofCache
  readonly #signer: DeploymentSigner
  readonly #name: string
  readonly #witnesses: ReadonlySet<string>
  readonly #realms: Realms
  #recent: { readonly head: LogHead; readonly readAt: number } | null = null

  constructor(parts: {
    readonly logs: DurableObjectNamespace<TransparencyLogObject>
    readonly accounts: DurableObjectNamespace<AccountDirectoryObject>
    readonly namespace: string
    readonly files: LogFiles
    readonly cache: ProofCache
    /** The key of the open log. */
    readonly signer: DeploymentSigner
    /** The open log. */
    readonly log: string
    readonly witnesses: readonly string[]
    readonly realms: Realms
  }) {
    this.#logs = parts.logs
    this.#accounts = parts.accounts
    this.#namespace = parts.namespace
    this.#reader = new LogReader(parts.files)
    this.#cache = parts.cache
    this.#signer = parts.signer
    this.#name = parts.log
    this.#witnesses = new Set(parts.witnesses)
    this.#realms = parts.realms
  }

  /** Whether this deployment serves a log; without a name it is the open one. */
  serves(log: string | undefined): boolean {
    return log === undefined || log === this.#name
  }

  /** A checkpoint of the open log, signed now; null if the deployment has no key for it. */
  async checkpoint(
    now: number,
  ): Promise<{ readonly checkpoint: DirectoryCheckpoint; readonly cosignatures: SignedCosignature[] } | null> {
    const head = await this.#log(async (log) => log.head(this.#name))
    const checkpoint = await this.#sign(head, now)
    return checkpoint && { checkpoint, cosignatures: await this.#log(async (log) => log.cosignatures(this.#name)) }
  }

  inclusion(leafId: string, now: number): Promise<Result<InclusionAnswer, Missing>> {
    return this.#cached(`proof/${leafId}`, now, () => this.#inclusion(leafId, now))
  }

  /** The statement hashes that fold the head at `since` into the head now. */
  accountAudit(did: string, since: number, now: number): Promise<Result<AccountAudit, Missing>> {
    return this.#cached(`audit/${did}-${since}`, now, async () => {
      const [{ seq, head, statementHashes }, checkpoint] = await Promise.all([
        this.#account(did, async (account) => account.audit(since)),
        this.#newest(now),
      ])
      if (!checkpoint) return err({ reason: 'log_unavailable' })
      return ok({ label: accountLabel(this.#namespace, did), since, statementHashes, seq, head, checkpoint })
    })
  }

  /** Proves that the first leaves are a prefix of the current log, or of the log at `second`. */
  audit(first: number, second: number | null, now: number): Promise<Result<AuditAnswer, Missing>> {
    const path = `audit/${first}${second === null ? '' : `-${second}`}`
    return this.#cached(path, now, () => this.#audit(first, second, now))
  }

  async #inclusion(leafId: string, now: number): Promise<Result<InclusionAnswer, Missing>> {
    const { label, statementHash } = leafIdParts(leafId)
    const update = await reaching('account directory', () => this.#accounts.getByName(label).findUpdate(statementHash))
    if (!update) return err({ reason: 'not_found' })
    if (update.position && update.position.log !== this.#name) return err({ reason: 'not_found' })
    // The account learns the place seconds after the log has taken the update.
    const index = update.position?.index ?? (await this.#log(async (log) => log.locate(this.#name, leafId)))
    if (index === null) return err({ reason: 'not_found' })
    return this.inclusionAt(leafId, { seq: update.seq, index }, now)
  }

  /** The proof of a leaf whose place is known. */
  async inclusionAt(
    leafId: string,
    { seq, index }: { readonly seq: number; readonly index: number },
    now: number,
  ): Promise<Result<InclusionAnswer, Missing>> {
    const head = await this.#headBeyond(index, now)
    const [checkpoint, proof] = await Promise.all([this.#sign(head, now), this.#reader.inclusion(head, index)])
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ leafId, seq, position: { log: this.#name, index }, proof, checkpoint })
  }

  async #audit(first: number, second: number | null, now: number): Promise<Result<AuditAnswer, Missing>> {
    const head = await this.#log(async (log) => log.head(this.#name))
    const to = second ?? head.size
    const [checkpoint, proof] = await Promise.all([this.#sign(head, now), this.#reader.consistency(head, first, to)])
    if (!proof.ok) return proof
    if (!checkpoint) return err({ reason: 'log_unavailable' })
    return ok({ log: this.#name, first, second: to, proof: proof.value, checkpoint })
  }

  /** One bundle of entries, as far as the log has it: the lines as they were logged. */
  async entries(bundle: number): Promise<Result<EntryBundle, { reason: 'not_found' }>> {
    return this.#reader.entries(await this.#log(async (log) => log.head(this.#name)), bundle)
  }

  /** Stores a configured witness's cosignature of a state of the open log. A different root is a fork. */
  async cosign(cosignature: SignedCosignature): Promise<Result<SignedCosignature, CosignRefusal>> {
    const { log: name, size, root } = cosignature.statement
    if (!this.#witnesses.has(cosignature.publicKeyB64u)) return err({ reason: 'unknown_signer' })
    if (!(await verifyCosignature(cosignature, this.#realms))) return err({ reason: 'invalid_signature' })
    const head = await this.#log(async (log) => log.head(this.#name))
    if (name !== this.#name || size > head.size) return err({ reason: 'not_found' })
    if ((await this.#reader.root(head, size)) !== root) return err({ reason: 'log_fork' })
    await this.#log(async (log) => log.cosign(cosignature))
    return ok(cosignature)
  }

  async #newest(now: number): Promise<DirectoryCheckpoint | null> {
    return this.#sign(await this.#log(async (log) => log.head(this.#name)), now)
  }

  /** A head of the last second, so that proofs of many leaves cost the log's object one call per second and isolate. */
  async #headBeyond(index: number, now: number): Promise<LogHead> {
    const recent = this.#recent
    if (recent && recent.head.size > index && Math.abs(now - recent.readAt) < BATCH_MS) return recent.head
    const head = await this.#log(async (log) => log.head(this.#name))
    this.#recent = { head, readAt: now }
    return head
  }

  #sign({ size, root }: LogHead, now: number): Promise<DirectoryCheckpoint | null> {
    const log = this.#name
    return this.#signer.sign({ type: 'svc/transparency-checkpoint/v1', log, size, root, issuedAt: now } as const)
  }

  #cached<T, E>(path: string, now: number, make: () => Promise<Result<T, E>>): Promise<Result<T, E>> {
    return this.#cache.find(`${encodeURIComponent(this.#name)}/${path}`, now, make)
  }

  #account<T>(did: string, work: (account: DurableObjectStub<AccountDirectoryObject>) => Promise<T>): Promise<T> {
    return reaching('account directory', () => work(this.#accounts.getByName(accountLabel(this.#namespace, did))))
  }

  /** The only writer of the order. Throws a fault if it is unreachable. */
  #log<T>(work: (log: LogStub) => Promise<T>): Promise<T> {
    return reaching('transparency log', () => work(this.#logs.getByName(this.#name)))
  }
}
