import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import type { AnchorBundle } from '@svc/protocol/ledger/anchor-log'
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
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/ledger/governance'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { listedLog } from '@svc/protocol/merkle/log-list'
import { openedLog } from '@svc/protocol/merkle/log-list-signing'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { LogLists } from '@svc/service'
import type { GovernanceService } from '../governance/service.ts'
import type { IdentityService } from '../identity/service.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import type { StorageBudget } from '../storage/service.ts'
import type { NewAnchor } from './log-entry.ts'
import type { AnchorLogObject } from './log-object.ts'
import type { LogSigner } from './log-signer.ts'
import type { AnchorPlace } from './rows.ts'
import type { AnchorFilter, AnchorStore } from './store.ts'
import { tellOwners } from './told.ts'

/** The publisher reports from a machine with an accurate clock; its nonces are kept forever. */
const PUBLICATION_TOLERANCE_MS = 300_000

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

export interface LogRefusal {
  readonly reason: 'not_found' | 'log_unavailable'
}

export type PublicationRefusal = {
  readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'not_found' | 'replay'
}

/** Names a list of anchors in its cursors. Its order crosses logs. */
const listOf = ({ owner, status }: AnchorFilter) => ['anchors', owner ?? null, status ?? null]

/** Anchors: submissions by their owners, proofs from the log, and the publisher's reports. */
export class AnchorService {
  readonly #logs: DurableObjectNamespace<AnchorLogObject>
  readonly #store: AnchorStore
  readonly #governance: GovernanceService
  readonly #identities: IdentityService
  readonly #budget: StorageBudget
  readonly #signer: LogSigner
  readonly #lists: LogLists
  readonly #publisherKey: string
  readonly #realms: Realms
  readonly #openLog: string

  constructor(parts: {
    readonly logs: DurableObjectNamespace<AnchorLogObject>
    readonly store: AnchorStore
    readonly governance: GovernanceService
    readonly identities: IdentityService
    readonly budget: StorageBudget
    readonly signer: LogSigner
    readonly lists: LogLists
    readonly publisherKey: string
    readonly realms: Realms
    /** The name of the log that takes new anchors. */
    readonly openLog: string
  }) {
    this.#logs = parts.logs
    this.#store = parts.store
    this.#governance = parts.governance
    this.#identities = parts.identities
    this.#budget = parts.budget
    this.#signer = parts.signer
    this.#lists = parts.lists
    this.#publisherKey = parts.publisherKey
    this.#realms = parts.realms
    this.#openLog = parts.openLog
  }

  /** Idempotent: the same owner, root and epoch return the same anchor. */
  async submit(
    caller: Caller,
    { root, epoch, attestations }: Submission,
    now: number,
  ): Promise<Result<AnchorRecord, AttestationFault | BudgetRefusal | { reason: 'history_partial' | 'expired' }>> {
    const subject = { owner: caller.did, root, epoch }
    const attested = submissionsIn(this.#realms, subject)
    const authorized = await this.#governance.authorizes(attestations, attested, caller.publicKeyB64u)
    if (!authorized.ok) return authorized
    if (!isSubmissionFresh(attestations, now)) return err({ reason: 'expired' })
    const facts = await this.#identities.ask(caller.did, async (identity) => identity.chainFacts(null))
    if (!facts || facts.isIndexing) return err({ reason: 'history_partial' })
    const anchorId = anchorIdOf(caller.did, root, epoch)
    // An anchor is never removed, so what is counted stays counted.
    const item = { kind: 'anchors', item: anchorId, bytes: JSON.stringify(attestations).length } as const
    const kept = await this.#budget.keep(caller.did, item)
    if (!kept.ok) return kept
    const log = this.#openLog
    const { index, anchor } = await this.#log(log, async (object) =>
      object.append(log, { ...subject, anchorId, attestations }),
    )
    if (anchor) return ok(submitted(anchor, { log, index }))
    // The log delivered it to D1 before.
    const existing = await this.#store.find(anchorId)
    if (!existing) throw new DependencyFault('anchors')
    return ok(existing)
  }

  find(anchorId: string): Promise<AnchorRecord | null> {
    return this.#store.find(anchorId)
  }

  /** A cursor belongs to the list of its filter. */
  async list(
    filter: AnchorFilter,
    { cursor, limit, withAttestations }: ListPage,
  ): Promise<Result<AnchorList, { reason: 'invalid_cursor' }>> {
    const list = listOf(filter)
    const after = cursor === undefined ? null : placeOf(list, cursor)
    if (cursor !== undefined && !after) return err({ reason: 'invalid_cursor' })
    const { items, next } = await this.#store.list(filter, after, limit, withAttestations)
    return ok({ items, count: items.length, cursor: next && encodeCursor(list, next) })
  }

  async stateProof(window: number, now: number): Promise<StateProof> {
    const rows = await this.#store.window(window)
    const leaves = rows.map(({ leaf }) => leaf)
    return {
      window,
      count: rows.length,
      root: toHex(merkleRoot(leaves.map(fromHex))),
      leaves,
      createdAt: new Date(now).toISOString(),
      hashAlg: 'sha3-384',
      anchors: rows.map(({ anchor }) => anchor),
    }
  }

  /** Why this owner is or is not eligible for an anchor now. */
  async eligibility({ did }: Caller): Promise<Eligibility> {
    const last = await this.#store.newestOf(did)
    const facts = await this.#identities.ask(did, async (identity) => identity.chainFacts(last?.root ?? null))
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

  /** A signed checkpoint of a log, by default the open one. */
  async checkpoint(log: string | undefined, now: number): Promise<Result<SignedCheckpoint, LogRefusal>> {
    const known = await this.#known(log)
    if (!known.ok) return known
    const { size, root } = await this.#log(known.value, async (object) => object.state())
    const checkpoint = await this.#signer.sign(known.value, size, root, now)
    return checkpoint ? ok(checkpoint) : err({ reason: 'log_unavailable' })
  }

  /** Everything needed to verify one anchor offline. */
  async bundle(anchorId: string, now: number): Promise<Result<AnchorBundle, LogRefusal>> {
    const record = await this.#store.find(anchorId)
    if (!record?.position) return err({ reason: 'not_found' })
    const { log, index } = record.position
    const { size, root, openedAt } = await this.#log(log, async (object) => object.state())
    const checkpoint = await this.#signer.sign(log, size, root, now)
    if (!checkpoint || openedAt === null) return err({ reason: 'log_unavailable' })
    const proof = await this.#log(log, async (object) => object.inclusion(index, size))
    if (!proof.ok) return err({ reason: 'not_found' })
    const list = await this.#lists.newest(now)
    const { publicKeyB64u } = checkpoint
    const listed =
      (list.ok ? listedLog(list.value.statement, log) : null) ??
      openedLog({ log, series: 'anchors', publicKeyB64u }, openedAt)
    return ok({ format: 'svc/anchor-bundle/v1', record, log: listed, proof: proof.value, checkpoint })
  }

  async consistency(
    log: string | undefined,
    first: number,
    second: number,
  ): Promise<Result<{ log: string; proof: string[] }, LogRefusal | { reason: 'out_of_range' }>> {
    const known = await this.#known(log)
    if (!known.ok) return known
    const proof = await this.#log(known.value, async (object) => object.consistency(first, second))
    return proof.ok ? ok({ log: known.value, proof: proof.value }) : proof
  }

  async publish(
    signed: SignedPublication,
    requestId: string,
    now: number,
  ): Promise<Result<AnchorRecord, PublicationRefusal>> {
    if (this.#publisherKey === '') return err({ reason: 'disabled' })
    const isSigned = await verifyStatement(signed, bytesOf(this.#publisherKey), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const { anchorId, issuedAt } = signed.statement
    if (Math.abs(now - issuedAt) > PUBLICATION_TOLERANCE_MS) return err({ reason: 'expired' })
    if (!(await this.#store.find(anchorId))) return err({ reason: 'not_found' })
    if ((await this.#store.publish(signed, requestId, now)) === 'replay') return err({ reason: 'replay' })
    // The report counts, whether the owner can be told now or by the cron trigger.
    await tellOwners(this.#store, this.#identities, anchorId).catch(() => 0)
    const record = await this.#store.find(anchorId)
    return record ? ok(record) : err({ reason: 'not_found' })
  }

  /** An unknown name reaches no object, so that asking creates none. */
  async #known(log: string = this.#openLog): Promise<Result<string, { reason: 'not_found' }>> {
    const isKnown = log === this.#openLog || (await this.#store.hasLog(log))
    return isKnown ? ok(log) : err({ reason: 'not_found' })
  }

  /** The only writer of the order of a log. Throws a fault if it is unreachable. */
  #log<T>(log: string, work: (object: DurableObjectStub<AnchorLogObject>) => Promise<T>): Promise<T> {
    return reaching('anchors', () => work(this.#logs.getByName(log)))
  }
}

function submitted(anchor: NewAnchor, position: AnchorRecord['position']): AnchorRecord {
  const { anchorId, root, epoch, createdAt, owner, attestations } = anchor
  const leaf = { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt } as const
  return { ...leaf, attestations: [...attestations], status: 'submitted', owner, position }
}

function placeOf(list: ReturnType<typeof listOf>, cursor: string): AnchorPlace | null {
  const place = decodeCursor(list, cursor)
  if (typeof place !== 'object' || place?.length !== 2) return null
  const [logNo, index] = place
  return typeof logNo === 'number' && typeof index === 'number' ? [logNo, index] : null
}
