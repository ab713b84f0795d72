import type * as z from 'zod'
import { consistencySchema, verifyExtension } from '#protocol/ledger/anchor-log'
import type { AnchorStamp } from '#protocol/ledger/anchor-stamp'
import {
  type AnchorList,
  type AnchorRecord,
  anchorIdOf,
  anchorListSchema,
  anchorRecordSchema,
  type Eligibility,
  eligibilitySchema,
  type SignedCheckpoint,
  type SignedPublication,
  type StateProof,
  signedCheckpointSchema,
  stateProofSchema,
  verifyStateProof,
} from '#protocol/ledger/anchors'
import type { GovernanceAttestation } from '#protocol/ledger/attestations'
import type { KeptBundle } from '#protocol/ledger/blind-root'
import { type AnchorBundle, anchorBundleSchema } from '#protocol/ledger/bundle/anchor-bundle'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { TrustedLogs } from '../logs/trusted-logs.ts'
import { believeCheckpoint } from '../memory/checkpoint-log.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { acceptAge, markLike, mirrorOf } from '../mirrors/from-mirror.ts'
import { everyItem } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { inconsistent } from '../verification/inconsistent.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import type { AnchorFilter, AnchorsOptions, CosignedAnchor, NewAnchor, VerifiedAnchor } from './anchor-options.ts'
import { anchorSigning } from './anchor-signing.ts'
import type { FileToStamp, StampOptions } from './stamps.ts'

/** Anchors. A submission is a record of the service, not a ledger transaction. */
export class Anchors {
  readonly #logs: TrustedLogs
  // As results: see `safely`.
  readonly safePage = safeTwin(this, 'page')
  readonly safeRead = safeTwin(this, 'read')
  readonly safeStateProof = safeTwin(this, 'stateProof')
  readonly safeCheckpoint = safeTwin(this, 'checkpoint')
  readonly safeBundle = safeTwin(this, 'bundle')
  readonly safeVerify = safeTwin(this, 'verify')
  readonly safeCosigned = safeTwin(this, 'cosigned')
  readonly safeUpgrade = safeTwin(this, 'upgrade')
  readonly safePublications = safeTwin(this, 'publications')
  readonly safeVerifyExtension = safeTwin(this, 'verifyExtension')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device | undefined
  readonly #memory: KnownLogs
  readonly #publisherKeys: TrustedKeys | null
  readonly #witnesses: AnchorsOptions['witnesses']
  readonly #keys: AnchorsOptions['keys']
  readonly #notes: AnchorsOptions['notes']

  constructor(
    transport: Transport,
    core: string,
    owner: Identity | Device | undefined,
    { memory = new KnownLogs(), publisherKeys = null, witnesses, keys, notes, ...trust }: AnchorsOptions = {},
  ) {
    this.#logs = new TrustedLogs(transport, `${core}/api/logs`, trust)
    this.#memory = memory
    this.#publisherKeys = publisherKeys
    this.#witnesses = witnesses
    this.#keys = keys
    this.#notes = notes
    this.#transport = transport
    this.#base = `${core}/api/anchors`
    this.#owner = owner
  }

  /** The list of logs that this client trusts, and why. `verifyAnchor` takes it. */
  async logs(): Promise<TrustedLogs> {
    return this.#logs
  }

  /** Submits a root. Idempotent: returns the existing anchor. Throws if core answers for another owner or anchor. */
  async submit({ root, epoch, attestations }: NewAnchor): Promise<AnchorRecord> {
    const owner = this.#asked.did
    const body = { root, epoch, hashAlg: 'sha3-384', attestations: attestations ?? [await this.attest(root, epoch)] }
    const call = { method: 'POST', url: this.#base, audience: 'chain', body } as const
    const record = await this.#transport.json(call, anchorRecordSchema)
    const isOurs =
      record.owner === owner &&
      record.root === root &&
      record.epoch === epoch &&
      record.anchorId === anchorIdOf(owner, root, epoch)
    if (!isOurs)
      throw unverified('anchor', 'different_answer', 'Core answered for a different anchor', { evidence: record })
    return record
  }

  /**
   * Anchors a file by its hash, which is computed on your device: `await hashOf(file)`. Returns the stamp, which you need
   * to prove what was anchored. Unless `isFindable`, the root is blinded by a random nonce that only the stamp has: nobody
   * finds the anchor by the file. The stamp is kept before anything is sent, by default in the encrypted notes of this
   * identity, so an interruption loses nothing: call `submit` with its `root` and `epoch` again.
   */
  async stamp(file: FileToStamp, options: StampOptions = {}): Promise<AnchorStamp> {
    const { newStamp } = await import('./stamps.ts')
    const stamp = newStamp(file, options, { owner: this.#asked.did, realm: this.#transport.realm })
    await (options.keep ?? ((made) => this.keep(made)))(stamp)
    const { root, epoch } = stamp
    await this.submit({ root, epoch })
    return stamp
  }

  /**
   * The bundle of a stamped file with its nonce: keep it with the file, and `verifyAnchor` verifies it offline. Throws a
   * `ServiceError` (404) until the anchor is in its log, which takes seconds.
   */
  async complete(stamp: AnchorStamp): Promise<KeptBundle> {
    const { completed } = await import('./stamps.ts')
    return completed(stamp, await this.bundle(stamp.anchorId))
  }

  /** Puts a stamp into the encrypted notes of this identity, where each of its devices finds it. Idempotent in effect. */
  async keep(stamp: AnchorStamp): Promise<void> {
    return (await this.#library()).keep(stamp)
  }

  /** The stamp of an anchor in the notes of this identity; null if there is none. */
  async stampOf(anchorId: string): Promise<AnchorStamp | null> {
    return (await this.#library()).of(anchorId)
  }

  /** Every stamp in the notes of this identity, in the order in which they were kept. Each is one request. */
  async *kept(): AsyncGenerator<AnchorStamp> {
    yield* (await this.#library()).all()
  }

  /**
   * Signs a submission without sending it: this identity's own, or that of another owner as a signer of the governance
   * policy. Core accepts it for a day.
   */
  async attest(root: string, epoch: string, owner: string = this.#asked.did): Promise<GovernanceAttestation> {
    // What signs is loaded late: most clients only read and verify.
    const { attestSubmission } = await import('./attest-submission.ts')
    const { realm } = this.#transport
    return attestSubmission(this.#owner, { owner, root, epoch }, realm, this.#transport.now())
  }

  /** Whether there is something to anchor, and if not, why (`history_partial`, `no_blocks`, `head_anchored`, `security_hold`). */
  eligibility(): Promise<Eligibility> {
    return this.#transport.json(
      { method: 'GET', url: `${this.#base}/eligibility`, audience: 'chain' },
      eligibilitySchema,
    )
  }

  /**
   * One page, newest first, or of one `root` oldest first: at most 500 anchors and 1 MiB. `cursor` is that of the previous page of the same list. An
   * attestation takes 7 kB; `attestations: 'omit'` leaves them out. Needs no credential. A page proves nothing, of the
   * service or of a mirror: `bundle` proves the anchors that you rely on. A mirror cannot filter by `status` or `root`.
   */
  async page(
    query: AnchorFilter & { limit?: number; cursor?: string; attestations?: 'include' | 'omit' } = {},
  ): Promise<AnchorList> {
    const { owner, status, root } = query
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    const page = await this.#get(search.size === 0 ? '' : `?${search.toString()}`, anchorListSchema)
    const isOfFilter = page.items.every(
      (item) =>
        item.owner === (owner ?? item.owner) &&
        item.status === (status ?? item.status) &&
        item.root === (root ?? item.root),
    )
    if (!isOfFilter)
      throw unverified('anchors', 'different_answer', 'Core answered for other anchors', { evidence: page })
    // The age of a page that nothing signs is that of the log beside it.
    if (mirrorOf(page)) acceptAge(page, (await this.checkpoint()).statement.issuedAt, this.#transport.now())
    return page
  }

  /**
   * Every anchor, or those of an owner or with a status, newest first, or those of a root, oldest first, without
   * attestations. Needs no credential.
   * What changes its status while you read may be missing: a new pass finds it.
   */
  all(filter: AnchorFilter = {}): AsyncGenerator<AnchorList['items'][number]> {
    return everyItem((cursor) =>
      this.page({ ...filter, limit: 500, attestations: 'omit', ...(cursor === undefined ? {} : { cursor }) }),
    )
  }

  /**
   * Needs no credential. Of a mirror, it is the record of a verified bundle, with what verified reports of the publisher
   * come to; without the publisher's key, `status` is `submitted`.
   */
  async read(anchorId: string): Promise<AnchorRecord> {
    const record = await this.#record(anchorId)
    if (!mirrorOf(record)) return record
    const bundle = await this.bundle(anchorId)
    const { publishedAs } = await import('#protocol/ledger/anchor-publications')
    const reported = this.#publisherKeys === null ? {} : publishedAs(await this.#publications(bundle.record))
    return markLike({ ...bundle.record, ...reported }, bundle)
  }

  async #record(anchorId: string): Promise<AnchorRecord> {
    const record = await this.#get(`/${anchorId}`, anchorRecordSchema)
    const isOfItsOwner = record.anchorId === anchorIdOf(record.owner, record.root, record.epoch)
    if (record.anchorId !== anchorId || !isOfItsOwner)
      throw unverified('anchor', 'different_answer', 'Core answered for a different anchor', { evidence: record })
    return record
  }

  /**
   * The signed reports of the publisher about an anchor, each verified with the keys of the signed list, or with
   * `publisherKeyB64u`. They say what the publisher saw, and nothing proves that there are no others. Needs no credential.
   */
  async publications(anchorId: string): Promise<readonly SignedPublication[]> {
    return this.#publications(await this.#record(anchorId))
  }

  async #publications(record: AnchorRecord): Promise<readonly SignedPublication[]> {
    const { readPublications } = await import('./read-publications.ts')
    const source = { transport: this.#transport, base: this.#base, keys: this.#publisherKeys }
    const answer = await readPublications(source, record)
    // The age of a list that nothing signs is that of the log beside it.
    if (mirrorOf(answer)) acceptAge(answer, (await this.checkpoint()).statement.issuedAt, this.#transport.now())
    return answer.publications
  }

  /** The newest anchors with every leaf (clamped to 1–2,048). Recomputes the root and throws if it differs. */
  async stateProof(window = 256): Promise<StateProof> {
    const proof = await this.#get(`/state-proof?window=${window}`, stateProofSchema)
    if (!verifyStateProof(proof))
      throw unverified('anchors', 'rewritten', 'The state proof is invalid', { evidence: proof })
    return proof
  }

  /**
   * Size and root of a log, by default the one that is open, with its signature verified. Throws a `HistoryError` if the
   * log does not provably extend what this client has seen of it, and a `VerificationError` if the signed list does not
   * name the log with this key.
   */
  async checkpoint(log?: string): Promise<SignedCheckpoint> {
    const query = log === undefined ? '' : `?${new URLSearchParams({ log }).toString()}`
    const checkpoint = await this.#get(`/checkpoint${query}`, signedCheckpointSchema)
    if (log !== undefined && checkpoint.statement.log !== log)
      throw unverified('anchors', 'wrong_log', 'The checkpoint is of another log', {
        where: { log: checkpoint.statement.log },
        evidence: checkpoint,
      })
    const { final } = await this.#logs.verify(checkpoint)
    if (mirrorOf(checkpoint))
      acceptAge(checkpoint, checkpoint.statement.issuedAt, this.#transport.now(), final !== null)
    await believeCheckpoint(checkpoint, {
      memory: this.#memory,
      name: { kind: 'anchors', of: checkpoint.statement.log },
      isExtension: (earlier, later) => this.#extends(earlier, later),
      now: this.#transport.now(),
    })
    return checkpoint
  }

  /**
   * Verifies that a log at a later checkpoint contains everything of an earlier one of the same log, in order. Throws a
   * `VerificationError` otherwise.
   */
  async verifyExtension(earlier: SignedCheckpoint, later: SignedCheckpoint): Promise<void> {
    if (!(await this.#extends(earlier, later))) throw inconsistent('anchors', earlier, later)
  }

  async #extends(earlier: SignedCheckpoint, later: SignedCheckpoint): Promise<boolean> {
    const { log, size: first } = earlier.statement
    const { size: second } = later.statement
    const key = earlier.publicKeyB64u
    // No proof needed: the empty log is a prefix of every log, a longer log of none, and no log of another.
    if (first === 0 || second < first || later.statement.log !== log) return verifyExtension(earlier, later, [], key)
    return verifyExtension(earlier, later, await this.#consistency(log, first, second), key)
  }

  async #consistency(log: string, first: number, second: number): Promise<readonly string[]> {
    const query = new URLSearchParams({ log, first: String(first), second: String(second) })
    return (await this.#get(`/consistency?${query.toString()}`, consistencySchema)).proof
  }

  /**
   * What you need to verify one anchor offline, also after its log was closed; keep it with what it anchors. `verifyAnchor`
   * verifies it; one of a mirror is verified here against the list of logs, and says nothing of the publisher's reports.
   */
  async bundle(anchorId: string): Promise<AnchorBundle> {
    const bundle = await this.#get(`/${anchorId}/bundle`, anchorBundleSchema)
    if (bundle.record.anchorId !== anchorId)
      throw unverified('anchor', 'different_answer', 'Core answered for a different anchor', { evidence: bundle })
    if (!mirrorOf(bundle)) return bundle
    const { final } = await this.#logs.verify(bundle.checkpoint)
    await this.#verified(bundle)
    if (bundle.record.status !== 'submitted' || bundle.record.chains !== undefined)
      throw unverified('anchor', 'mismatch', 'A bundle does not prove reports of the publisher', { evidence: bundle })
    acceptAge(bundle, bundle.checkpoint.statement.issuedAt, this.#transport.now(), final !== null)
    return bundle
  }

  /**
   * Verifies the bundle of an anchor against the list of logs, and its attestation against the root keys of the owner.
   * Throws a `VerificationError` if either fails, or if the anchor was logged after its key was replaced. Needs no
   * credential.
   */
  async verify(anchorId: string): Promise<VerifiedAnchor> {
    const keys = await this.#keys?.()
    if (!keys) throw new TypeError('Verifying an anchor needs the key history: use the anchors of a client')
    const bundle = await this.bundle(anchorId)
    await this.#verified(bundle)
    const { record } = bundle
    return { ...bundle, ...anchorSigning({ keys: await keys.of(record.owner), record }) }
  }

  /**
   * Returns each witness's first cosignature of an anchor, verified, and the time at which `threshold` of the client's
   * witnesses had seen it. Throws a `ConfigurationError` without `witnesses`. Needs no credential.
   */
  async cosigned(anchorId: string): Promise<CosignedAnchor> {
    const { readCosigned } = await import('./read-cosigned.ts')
    const url = `${this.#base}/${anchorId}/cosigned`
    return readCosigned({ transport: this.#transport, url, witnesses: this.#witnesses }, () => this.read(anchorId))
  }

  /**
   * Adds new cosignatures and the newest checkpoint to a bundle that you kept, and converts a v1 bundle to v2. Verifies both
   * bundles, and that the log extends the checkpoint of the old one. Keeps every cosignature of the old one. Keep the old
   * bundle until you have stored the result. Needs no credential.
   */
  async upgrade(bundle: unknown): Promise<KeptBundle> {
    const { upgraded } = await import('./upgrade-bundle.ts')
    return upgraded(bundle, {
      list: await this.#logs.list(),
      realms: this.#transport.realms,
      read: (anchorId) => this.bundle(anchorId),
      consistency: (log, first, second) => this.#consistency(log, first, second),
    })
  }

  /** Verification code is loaded on demand: most clients only submit and read. */
  async #verified(bundle: AnchorBundle): Promise<KeptBundle> {
    const { verifyAnchor } = await import('./verify-anchor.ts')
    return verifyAnchor(bundle, { list: await this.#logs.list() }, this.#transport.realms)
  }

  async #library() {
    const notes = await this.#notes?.()
    if (!notes) throw new TypeError('Stamps are kept in notes: use the anchors of a client, or pass `keep`')
    const { StampLibrary } = await import('./stamps.ts')
    return new StampLibrary(notes)
  }

  /** The identity that asks, by its root key or a device. */
  get #asked(): Identity | Device {
    if (!this.#owner) throw new TypeError('This call needs an identity: pass `identity` or `device` to the client')
    return this.#owner
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.json({ method: 'GET', url: this.#base + path, isMirrored: true }, schema)
  }
}
