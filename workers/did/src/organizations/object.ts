import type { Result } from '@svc/protocol/base/result'
import type { BindingFault, OrgEvent } from '@svc/protocol/did/org-bindings'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import type { MembersWanted, StoredMember } from './member-table.ts'
import { ORGANIZATION, ORGANIZATION_RECORDS } from './schema.ts'
import { type EventsHere, type MembersHere, OrganizationTransaction, type Sender, type Verdict } from './transaction.ts'

/** Deliveries of one alarm; the rest follows at once. */
const MAX_TOLD = 256

/**
 * The binding log of one organization and the members that it folds into. Named by the DID. Its tables are made by its
 * first event. Callers have verified signatures, licence and authority before each call that writes.
 */
export class OrganizationObject extends RecordedObject<Env> {
  static override readonly schemas = [ORGANIZATION]
  static override readonly records = { objects: 'organizations', plan: ORGANIZATION_RECORDS } as const
  readonly #transaction = new OrganizationTransaction(this.stored)

  judge(event: OrgEvent, sender: Sender): Verdict {
    return this.#transaction.judge(event, sender)
  }

  /** Idempotent for one event. The member's own object has it before the answer if it can be reached. */
  async append(event: OrgEvent, sender: Sender, now: number): Promise<Result<number, BindingFault>> {
    const appended = this.#transaction.append(event, sender, now)
    if (appended.ok) {
      this.#keepAlarm()
      await this.#tell(event.statement.memberDid)
    }
    return appended
  }

  member(memberDid: string): StoredMember | null {
    return this.#transaction.member(memberDid)
  }

  members(wanted: MembersWanted): MembersHere {
    return this.#transaction.members(wanted)
  }

  events(from: number, limit: number): EventsHere {
    return this.#transaction.events(from, limit)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    // First, so that a crash below leaves an alarm.
    this.#keepAlarm()
    await Promise.all(this.#transaction.untold.due(Date.now(), MAX_TOLD).map((member) => this.#tell(member)))
    this.#keepAlarm()
    await this.keepRecords()
  }

  /** What the log says stands, whether or not the member's object has it. */
  async #tell(memberDid: string): Promise<void> {
    const binding = this.#transaction.member(memberDid)
    if (!binding) return
    const hasArrived = await doneOrDelayed({ service: 'did', delayed: 'member lists' }, async () =>
      objectsIn(this.env, this.env.MEMBERSHIPS).getByName(memberDid).take(binding),
    )
    if (hasArrived) this.#transaction.untold.told(memberDid, binding.member.latest.sequence)
    else this.#transaction.untold.failed(memberDid, Date.now())
  }

  /** Not awaited: the output gate holds the answer. */
  #keepAlarm(): void {
    const due = this.#transaction.untold.dueAt()
    if (due !== null) void this.stored.alarm.by(due)
  }
}
