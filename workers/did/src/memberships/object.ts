import { RecordedObject } from '@svc/service/recorded-object'
import type { StoredMember } from '../organizations/member-table.ts'
import { MEMBERSHIP_RECORDS, MEMBERSHIPS } from './schema.ts'

/**
 * Which organizations list one member, and as what. Named by the DID of the member. The organizations tell it; it decides
 * nothing, and whether a member is bound is asked of the organization.
 */
export class MembershipsObject extends RecordedObject<Env> {
  static override readonly schemas = [MEMBERSHIPS]
  static override readonly records = { objects: 'memberships', plan: MEMBERSHIP_RECORDS } as const

  /** Takes what is newer than what is known, whatever the order of arrival. Idempotent. */
  take(binding: StoredMember): void {
    this.stored.transact(() => {
      this.stored.create(MEMBERSHIPS)
      this.stored.sql.exec(
        `INSERT INTO bindings (org, sequence, binding) VALUES (?1, ?2, ?3)
         ON CONFLICT (org) DO UPDATE SET sequence = ?2, binding = ?3 WHERE sequence < ?2`,
        binding.org,
        binding.member.latest.sequence,
        JSON.stringify(binding),
      )
    })
  }

  /** Sorted by organization. */
  list(after: string, limit: number): StoredMember[] {
    if (!this.stored.exists) return []
    return this.stored.sql
      .exec<{ binding: string }>('SELECT binding FROM bindings WHERE org > ? ORDER BY org LIMIT ?', after, limit)
      .toArray()
      .map(({ binding }) => JSON.parse(binding) as StoredMember)
  }
}
