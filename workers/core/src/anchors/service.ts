import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import {
  comparePublications,
  PUBLICATION_TOLERANCE_MS,
  type PublicationsOfAnchor,
} from '@svc/protocol/ledger/anchor-publications'
import { isSubmissionFresh, submissionsIn } from '@svc/protocol/ledger/anchor-submission'
import {
  type AnchorList,
  type AnchorRecord,
  anchorIdOf,
  type Eligibility,
  type SignedCheckpoint,
  type SignedPublication,
  type StateProof,
} from '@svc/protocol/ledger/anchors'
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import type { AnchorBundle } from '@svc/protocol/ledger/bundle/anchor-bundle'
import type { WithheldNotice } from '@svc/protocol/ledger/withheld-notice'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { doneOrDelayed, type KeptLogs } from '@svc/service'
import type { GovernanceService } from '../governance/service.ts'
import type { IdentityService } from '../identity/service.ts'
import type { StorageBudget } from '../storage/service.ts'
import { BodyBundles } from './body-bundles.ts'
import { BundleMaker } from './cosigned/bundle-maker.ts'
import type { AnchorCosigning } from './cosigned/cosigning.ts'
import { AnchorFiles } from './files.ts'
import type { AnchorFilter, AnchorIndex } from './index-store.ts'
import type { AnchorPlace, IndexedAnchor } from './rows.ts'
import { StateProofs } from './state-proofs.ts'
import { tellOwners } from './told.ts'
import type { AnchorRefusal } from './transaction.ts'
import { WithheldFiles } from './withheld-files.ts'

export interface Submission {
  readonly root: string
  readonly epoch: string
  readonly attestations: readonly GovernanceAttestation[]
}

export interface ListPage {
  readonly cursor: string | undefined
  readonly limit: number
  readonly withAttestations: boolean
}

export type FindRefusal =
  | { readonly reason: 'not_found' }
  | { readonly reason: 'withheld'; readonly notice: WithheldNotice }

export interface LogRefusal {
  readonly reason: 'not_found' | 'log_unavailable'
}

export type PublicationRefusal = {
  readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'not_found' | 'replay'
}

/** Names a list of anchors in its cursors. Its order crosses logs. */
const listOf = ({ owner, status, root }: AnchorFilter) => ['anchors', owner ?? null, status ?? null, root ?? null]

/** Anchors: submissions by their owners, proofs from the log, and the publisher's reports. */
export class AnchorService {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #index: AnchorIndex
  readonly #files: AnchorFiles
  readonly #bundles: BodyBundles
  readonly #withheld: WithheldFiles
  readonly #stateProofs: StateProofs
  readonly #maker: BundleMaker
  readonly #governance: GovernanceService
  readonly #identities: IdentityService
  readonly #budget: StorageBudget
  readonly #publisherKey: string
  readonly #realms: Realms

  constructor(parts: {
    readonly logs: KeptLogs<SignedCheckpoint>
    readonly index: AnchorIndex
    readonly bucket: R2Bucket
    readonly cosigning: AnchorCosigning
    readonly governance: GovernanceService
    readonly identities: IdentityService
    readonly budget: StorageBudget
    readonly publisherKey: string
    readonly realms: Realms
  }) {
    this.#logs = parts.logs
    this.#index = parts.index
    this.#files = new AnchorFiles(parts.bucket)
    this.#bundles = new BodyBundles(parts.bucket)
    this.#withheld = new WithheldFiles(parts.bucket)
    this.#stateProofs = new StateProofs(parts.logs, parts.index)
    this.#maker = new BundleMaker(parts.logs, parts.cosigning)
    this.#governance = parts.governance
    this.#identities = parts.identities
    this.#budget = parts.budget
    this.#publisherKey = parts.publisherKey
    this.#realms = parts.realms
  }

  /**
   * Idempotent: the same owner, root and epoch return the same anchor. It is durable in its owner's object when this
   * returns; the log has it too, unless that takes longer than a request waits.
   */
  async submit(
    caller: Caller,
    { root, epoch, attestations }: Submission,
    now: number,
  ): Promise<
    Result<
      AnchorRecord,
      AttestationFault | Exclude<AnchorRefusal, { reason: 'withheld' }> | FindRefusal | { reason: 'expired' }
    >
  > {
    const subject = { owner: caller.did, root, epoch }
    const attested = submissionsIn(this.#realms, subject)
    const authorized = await this.#governance.authorizes(attestations, attested, caller.publicKeyB64u)
    if (!authorized.ok) return authorized
    if (!isSubmissionFresh(attestations, now)) return err({ reason: 'expired' })
    const anchorId = anchorIdOf(caller.did, root, epoch)
    const anchor = { anchorId, root, epoch, attestations: [...attestations] }
    const kept = await this.#budget.within<AnchorRecord, AnchorRefusal>(() =>
      this.#identities.ask(caller.did, async (identity) => identity.submitAnchor(caller.did, anchor)),
    )
    if (!kept.ok)
      return kept.error.reason === 'withheld' ? err(await this.#withheldAs(kept.error.leaf)) : err(kept.error)
    const record = kept.value
    if (record.position === null) {
      const placed = await this.#identities.ask(caller.did, async (identity) => identity.deliverAnchor(anchorId))
      return ok(placed ?? record)
    }
    // What was published of it is in the index, which follows seconds later.
    const facts = await this.#index.find(anchorId)
    return ok(facts ? { ...record, ...facts } : record)
  }

  async find(anchorId: string): Promise<Result<AnchorRecord, FindRefusal>> {
    const [body, facts] = await Promise.all([this.#files.lookup(anchorId), this.#index.find(anchorId)])
    if (!body) return err({ reason: 'not_found' })
    if ('withheld' in body) return err(await this.#withheldAs(body.withheld))
    if (facts) return ok({ ...body, ...facts })
    // On its way, or the index was lost.
    const owned = await this.#identities.ask(body.owner, async (identity) => identity.anchor(anchorId))
    return owned ? ok(owned) : err({ reason: 'not_found' })
  }

  /** A cursor belongs to the list of its filter. */
  async list(
    filter: AnchorFilter,
    { cursor, limit, withAttestations }: ListPage,
  ): Promise<Result<AnchorList, { reason: 'invalid_cursor' }>> {
    const list = listOf(filter)
    const after = cursor === undefined ? null : placeOf(list, cursor)
    if (cursor !== undefined && !after) return err({ reason: 'invalid_cursor' })
    const { items: facts, next } = await this.#index.list(filter, after, limit, withAttestations)
    const items = withAttestations ? await this.#attested(facts) : facts
    return ok({ items, count: items.length, cursor: next && encodeCursor(list, next) })
  }

  stateProof(window: number, now: number): Promise<StateProof> {
    return this.#stateProofs.of(window, now)
  }

  /** Why this owner is or is not eligible for an anchor now. */
  async eligibility({ did }: Caller): Promise<Eligibility> {
    const { chain: facts, newest: last } = await this.#identities.ask(did, async (identity) => identity.anchorFacts())
    const head = facts ? Number(facts.head.index) : 0
    const newBlocks = head - (facts?.indexOfRoot ?? 0)
    const reasons: Eligibility['reasons'] = []
    if (!facts || facts.isIndexing) reasons.push('history_partial')
    if (facts?.isHeld) reasons.push('security_hold')
    if (head === 0) reasons.push('no_blocks')
    else if (newBlocks === 0) reasons.push('head_anchored')
    return {
      eligible: reasons.length === 0,
      reasons,
      root: facts && !facts.isIndexing ? facts.head.hash : null,
      newBlocks,
      lastAnchor: last && { anchorId: last.anchorId, root: last.root, createdAt: last.createdAt },
    }
  }

  /** A checkpoint of a log, by default the open one: signed now, or the final one of a closed log. */
  async checkpoint(log: string | undefined, now: number): Promise<Result<SignedCheckpoint, LogRefusal>> {
    const found = await this.#logs.all.find(log)
    if (!found) return err({ reason: 'not_found' })
    const checkpoint = await this.#logs.checkpoint(found, now)
    return checkpoint ? ok(checkpoint) : err({ reason: 'log_unavailable' })
  }

  /** Everything needed to verify one anchor offline. */
  async bundle(anchorId: string, now: number): Promise<Result<AnchorBundle, LogRefusal | FindRefusal>> {
    // Most bundles are of the open log, whose head does not wait for the record. If it is down, only its bundles are.
    const [read, open] = await Promise.all([this.find(anchorId), this.#logs.all.open().catch(() => null)])
    if (!read.ok) return read
    const { value: record } = read
    if (!record.position) return err({ reason: 'not_found' })
    const { log, index } = record.position
    const found = log === open?.log && index < open.head.size ? open : await this.#logs.all.find(log)
    const signed = found && (await this.#logs.checkpoint(found, now))
    if (!found || !signed) return err({ reason: 'log_unavailable' })
    return ok(await this.#maker.bundle({ ...record, position: record.position }, { ...found, checkpoint: signed }, now))
  }

  async consistency(
    log: string | undefined,
    first: number,
    second: number,
  ): Promise<Result<{ log: string; proof: string[] }, LogRefusal | { reason: 'out_of_range' }>> {
    const found = await this.#logs.all.find(log)
    if (!found) return err({ reason: 'not_found' })
    const proof = await this.#logs.reader(found.log).consistency(found.head, first, second)
    return proof.ok ? ok({ log: found.log, proof: proof.value }) : err({ reason: 'out_of_range' })
  }

  async publish(
    signed: SignedPublication,
    requestId: string,
    now: number,
  ): Promise<Result<AnchorRecord, PublicationRefusal>> {
    if (this.#publisherKey === '') return err({ reason: 'disabled' })
    const isSigned = await verifyStatement(signed, bytesOf(this.#publisherKey), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const { leaf, issuedAt } = signed.statement
    if (Math.abs(now - issuedAt) > PUBLICATION_TOLERANCE_MS) return err({ reason: 'expired' })
    const anchorId = await this.#files.nameOf(leaf)
    if (anchorId === null || !(await this.#index.find(anchorId))) return err({ reason: 'not_found' })
    // The nonce belongs to this report for good; D1 decides which of its requests is the first.
    if (!(await this.#files.claim(signed))) return err({ reason: 'replay' })
    await this.#files.file(anchorId, signed)
    if ((await this.#index.publish(anchorId, signed, requestId, now)) === 'replay') return err({ reason: 'replay' })
    // The report counts, whether the owner can be told now or by the cron trigger.
    await doneOrDelayed({ service: 'core', delayed: 'anchor events' }, () =>
      tellOwners(this.#index, this.#identities, anchorId),
    )
    const read = await this.find(anchorId)
    return read.ok ? read : err({ reason: 'not_found' })
  }

  /** The reports about an anchor, as the publisher signed them. */
  async publications(anchorId: string): Promise<Result<PublicationsOfAnchor, FindRefusal>> {
    const body = await this.#files.lookup(anchorId)
    if (!body) return err({ reason: 'not_found' })
    if ('withheld' in body) return err(await this.#withheldAs(body.withheld))
    return ok({ anchorId, publications: (await this.#files.reports(anchorId)).toSorted(comparePublications) })
  }

  async #attested(facts: readonly IndexedAnchor[]): Promise<AnchorRecord[]> {
    const bodies = await this.#bundles.read(facts.map(({ anchorId, position }) => ({ anchorId, ...position })))
    // The index may briefly still list a withheld anchor.
    return facts.flatMap((known, i) => (bodies[i] ? [{ ...known, attestations: bodies[i].attestations }] : []))
  }

  async #withheldAs(leaf: string): Promise<FindRefusal> {
    const notice = await this.#withheld.notice(leaf)
    if (!notice) throw new DependencyFault('anchors')
    return { reason: 'withheld', notice }
  }
}

function placeOf(list: ReturnType<typeof listOf>, cursor: string): AnchorPlace | null {
  const place = decodeCursor(list, cursor)
  if (typeof place !== 'object' || place?.length !== 2) return null
  const [logNo, index] = place
  return typeof logNo === 'number' && typeof index === 'number' ? [logNo, index] : null
}
