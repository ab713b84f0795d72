import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import { type AnchorBundle, anchorEntryOf } from '@svc/protocol/ledger/anchor-log'
import {
  comparePublications,
  PUBLICATION_TOLERANCE_MS,
  type PublicationsOfAnchor,
} from '@svc/protocol/ledger/anchor-publications'
import { isSubmissionFresh, submissionsIn } from '@svc/protocol/ledger/anchor-submission'
import {
  type AnchorEntry,
  type AnchorLeaf,
  type AnchorList,
  type AnchorRecord,
  anchorIdOf,
  anchorLine,
  type Eligibility,
  type SignedCheckpoint,
  type SignedPublication,
  type StateProof,
} from '@svc/protocol/ledger/anchors'
import type { AttestationFault, GovernanceAttestation } from '@svc/protocol/ledger/governance'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { entryHash } from '@svc/protocol/merkle/entries'
import { listedLog } from '@svc/protocol/merkle/log-list'
import { openedLog } from '@svc/protocol/merkle/log-list-signing'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { doneOrDelayed, type KeptLogs } from '@svc/service'
import type { GovernanceService } from '../governance/service.ts'
import type { IdentityService } from '../identity/service.ts'
import type { StorageBudget } from '../storage/service.ts'
import { BodyBundles } from './body-bundles.ts'
import { AnchorFiles } from './files.ts'
import type { AnchorFilter, AnchorIndex } from './index-store.ts'
import type { AnchorPlace, IndexedAnchor } from './rows.ts'
import { tellOwners } from './told.ts'
import type { AnchorRefusal } from './transaction.ts'

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
const listOf = ({ owner, status, root }: AnchorFilter) => ['anchors', owner ?? null, status ?? null, root ?? null]

/** Anchors: submissions by their owners, proofs from the log, and the publisher's reports. */
export class AnchorService {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #index: AnchorIndex
  readonly #files: AnchorFiles
  readonly #bundles: BodyBundles
  readonly #governance: GovernanceService
  readonly #identities: IdentityService
  readonly #budget: StorageBudget
  readonly #publisherKey: string
  readonly #realms: Realms

  constructor(parts: {
    readonly logs: KeptLogs<SignedCheckpoint>
    readonly index: AnchorIndex
    readonly bucket: R2Bucket
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
  ): Promise<Result<AnchorRecord, AttestationFault | AnchorRefusal | { reason: 'expired' }>> {
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
    if (!kept.ok) return kept
    const record = kept.value
    if (record.position === null) {
      const placed = await this.#identities.ask(caller.did, async (identity) => identity.deliverAnchor(anchorId))
      return ok(placed ?? record)
    }
    // What was published of it is in the index, which follows seconds later.
    const facts = await this.#index.find(anchorId)
    return ok(facts ? { ...record, ...facts } : record)
  }

  async find(anchorId: string): Promise<AnchorRecord | null> {
    const [body, facts] = await Promise.all([this.#files.find(anchorId), this.#index.find(anchorId)])
    if (!body) return null
    if (facts) return { ...body, ...facts }
    // On its way, or the index was lost.
    return this.#identities.ask(body.owner, async (identity) => identity.anchor(anchorId))
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

  async stateProof(window: number, now: number): Promise<StateProof> {
    const indexed = await this.#index.window(window)
    const entries = await this.#entriesOf(indexed)
    const leaves = entries.map((entry) => entryHash(anchorLine(entry)))
    const anchors = indexed.map((known, i) => leafOf(known, entries[i]))
    return {
      window,
      count: anchors.length,
      root: toHex(merkleRoot(leaves)),
      leaves: leaves.map(toHex),
      createdAt: new Date(now).toISOString(),
      hashAlg: 'sha3-384',
      anchors,
    }
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
  async bundle(anchorId: string, now: number): Promise<Result<AnchorBundle, LogRefusal>> {
    // Most bundles are of the open log, whose head does not wait for the record. If it is down, only its bundles are.
    const [record, open] = await Promise.all([this.find(anchorId), this.#logs.all.open().catch(() => null)])
    if (!record?.position) return err({ reason: 'not_found' })
    const { log, index } = record.position
    const found = log === open?.log && index < open.head.size ? open : await this.#logs.all.find(log)
    const signed = found && (await this.#logs.checkpoint(found, now))
    if (!found || !signed) return err({ reason: 'log_unavailable' })
    const { head } = found
    const [proof, list] = await Promise.all([
      this.#logs.reader(log).inclusion(head, index),
      this.#logs.lists.newest(now),
    ])
    const { publicKeyB64u } = signed
    const listed =
      (list.ok ? listedLog(list.value.statement, log) : null) ??
      openedLog({ log, series: 'anchors', publicKeyB64u }, head.openedAt)
    return ok({ format: 'svc/anchor-bundle/v1', record, log: listed, proof, checkpoint: signed })
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
    const { anchorId, issuedAt } = signed.statement
    if (Math.abs(now - issuedAt) > PUBLICATION_TOLERANCE_MS) return err({ reason: 'expired' })
    if (!(await this.#index.find(anchorId))) return err({ reason: 'not_found' })
    // The nonce belongs to this report for good; D1 decides which of its requests is the first.
    if (!(await this.#files.claim(signed))) return err({ reason: 'replay' })
    await this.#files.file(signed)
    if ((await this.#index.publish(signed, requestId, now)) === 'replay') return err({ reason: 'replay' })
    // The report counts, whether the owner can be told now or by the cron trigger.
    await doneOrDelayed({ service: 'core', delayed: 'anchor events' }, () =>
      tellOwners(this.#index, this.#identities, anchorId),
    )
    const record = await this.find(anchorId)
    return record ? ok(record) : err({ reason: 'not_found' })
  }

  /** The reports about an anchor, as the publisher signed them. */
  async publications(anchorId: string): Promise<PublicationsOfAnchor | null> {
    if (!(await this.#files.find(anchorId))) return null
    return { anchorId, publications: (await this.#files.reports(anchorId)).toSorted(comparePublications) }
  }

  async #attested(facts: readonly IndexedAnchor[]): Promise<AnchorRecord[]> {
    const bodies = await this.#bundles.read(facts.map(({ anchorId, position }) => ({ anchorId, ...position })))
    return facts.map((known, i) => ({ ...known, attestations: [...(bodies[i]?.attestations ?? [])] }))
  }

  /** What the logs have of these: a bundle of entries has 256 leaves. */
  async #entriesOf(indexed: readonly IndexedAnchor[]): Promise<AnchorEntry[]> {
    const bundles = new Map<string, Promise<readonly string[]>>()
    const read = async (log: string, bundle: number) => {
      const found = await this.#logs.entries(log, bundle)
      return found.ok ? found.value.entries : []
    }
    return Promise.all(
      indexed.map(async ({ position: { log, index } }) => {
        const bundle = Math.floor(index / TILE_WIDTH)
        const lines = bundles.get(`${bundle} ${log}`) ?? read(log, bundle)
        bundles.set(`${bundle} ${log}`, lines)
        const entry = anchorEntryOf((await lines)[index % TILE_WIDTH] ?? '')
        if (entry === null) throw new DependencyFault('anchors')
        return entry
      }),
    )
  }
}

function leafOf(anchor: IndexedAnchor, entry: AnchorEntry | undefined): AnchorLeaf {
  const { anchorId, root, epoch, hashAlg, createdAt, owner, salt } = anchor
  return { anchorId, root, epoch, hashAlg, createdAt, owner, salt, attestationsHash: entry?.attestationsHash ?? '' }
}

function placeOf(list: ReturnType<typeof listOf>, cursor: string): AnchorPlace | null {
  const place = decodeCursor(list, cursor)
  if (typeof place !== 'object' || place?.length !== 2) return null
  const [logNo, index] = place
  return typeof logNo === 'number' && typeof index === 'number' ? [logNo, index] : null
}
