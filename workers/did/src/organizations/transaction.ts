import type { ObjectStorage } from '@svc/objects'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import { ok, type Result } from '@svc/protocol/base/result'
import {
  type BindingFault,
  EMPTY_ORG_HEAD,
  judgeBinding,
  type Member,
  type OrgEvent,
  type OrgHead,
} from '@svc/protocol/did/org-bindings'
import { type MembersWanted, MemberTable, type StoredMember } from './member-table.ts'
import { ORGANIZATION } from './schema.ts'
import { UntoldTable } from './untold.ts'

/** The organization as the caller has proved to be it, and the hash of the event that it sends. */
export interface Sender {
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly hash: string
}

/** When the event was accepted; null if it was not yet, and may be. */
export type Verdict = Result<number | null, BindingFault>

export interface MembersHere {
  readonly head: OrgHead
  readonly members: StoredMember[]
}
export interface EventsHere {
  readonly head: OrgHead
  readonly events: OrgEvent[]
  /** When each of them was accepted, epoch ms. */
  readonly acceptedAt: number[]
}

/** Told at once by the call that wrote; the alarm finds what that call could not deliver. */
const TELL_AFTER_MS = 5_000

/** The transactions of one organization: its log, and the members that it folds into. The log is authoritative. */
export class OrganizationTransaction {
  readonly #stored: ObjectStorage
  readonly #members: MemberTable
  readonly untold: UntoldTable

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#members = new MemberTable(stored.sql)
    this.untold = new UntoldTable(stored.sql)
  }

  judge(event: OrgEvent, sender: Sender): Verdict {
    const judged = this.#judge(event, sender)
    if (!judged.ok) return judged
    return ok(typeof judged.value === 'number' ? judged.value : null)
  }

  /** Decides again, since another event may have come first, and writes. Returns when the event was accepted. */
  append(event: OrgEvent, sender: Sender, now: number): Result<number, BindingFault> {
    return this.#stored.transact((): Result<number, BindingFault> => {
      const judged = this.#judge(event, sender)
      if (!judged.ok) return judged
      if (typeof judged.value === 'number') return ok(judged.value)
      this.#create(sender.did)
      this.#stored.sql.exec(
        'INSERT INTO events (sequence, hash, event, accepted_at) VALUES (?, ?, ?, ?)',
        event.statement.sequence,
        sender.hash,
        JSON.stringify(event),
        now,
      )
      this.#members.put(judged.value, now)
      this.untold.add(judged.value.memberDid, now + TELL_AFTER_MS)
      return ok(now)
    })
  }

  member(memberDid: string): StoredMember | null {
    return this.#stored.exists ? this.#members.find(this.#did(), memberDid) : null
  }

  members(wanted: MembersWanted): MembersHere {
    if (!this.#stored.exists) return { head: EMPTY_ORG_HEAD, members: [] }
    return { head: this.#head(), members: this.#members.page(this.#did(), wanted) }
  }

  events(from: number, limit: number): EventsHere {
    if (!this.#stored.exists) return { head: EMPTY_ORG_HEAD, events: [], acceptedAt: [] }
    const rows = this.#stored.sql
      .exec<{ event: string; accepted_at: number }>(
        'SELECT event, accepted_at FROM events WHERE sequence >= ? ORDER BY sequence LIMIT ?',
        from,
        limit,
      )
      .toArray()
    const events = rows.map(({ event }) => JSON.parse(event) as OrgEvent)
    return { head: this.#head(), events, acceptedAt: rows.map((row) => row.accepted_at) }
  }

  /** The member's state after the event, or when this very event was accepted: a retry after a lost answer finds it. */
  #judge(
    event: OrgEvent,
    { did: orgDid, scope: orgScope, epoch, hash }: Sender,
  ): Result<Member | number, BindingFault> {
    const { sequence, memberDid, provider = '', subjectHash = '' } = event.statement
    const acceptedAt = this.#acceptedAt(sequence, hash)
    if (acceptedAt !== null) return ok(acceptedAt)
    const member = this.member(memberDid)?.member ?? null
    const holder = this.#stored.exists ? this.#members.holderOf(provider, subjectHash) : null
    const inception = this.#inception()
    return judgeBinding({ orgDid, orgScope, epoch, head: this.#head(), inception, member, holder }, event, hash)
  }

  #acceptedAt(sequence: number, hash: string): number | null {
    if (!this.#stored.exists) return null
    const select = 'SELECT accepted_at FROM events WHERE sequence = ? AND hash = ?'
    return this.#stored.sql.exec<{ accepted_at: number }>(select, sequence, hash).toArray()[0]?.accepted_at ?? null
  }

  #head(): OrgHead {
    if (!this.#stored.exists) return EMPTY_ORG_HEAD
    const select = 'SELECT sequence, hash FROM events ORDER BY sequence DESC LIMIT 1'
    return this.#stored.sql.exec<{ sequence: number; hash: string }>(select).toArray()[0] ?? EMPTY_ORG_HEAD
  }

  /** Returns the event of the organization's inception log that the newest event names. */
  #inception(): KnownInception {
    if (!this.#stored.exists) return null
    const select = `SELECT event -> '$.statement.inception' AS named FROM events ORDER BY sequence DESC LIMIT 1`
    const [newest] = this.#stored.sql.exec<{ named: string }>(select).toArray()
    return newest ? (JSON.parse(newest.named) as KnownInception) : null
  }

  #create(did: string): void {
    if (this.#stored.exists) return
    this.#stored.create(ORGANIZATION)
    this.#stored.facts.put('did', did)
  }

  #did(): string {
    return this.#stored.facts.get<string>('did') ?? ''
  }
}
