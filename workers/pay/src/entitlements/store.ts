import { endOf } from '../owner-events/rules.ts'
import { addingIf } from '../owner-events/store.ts'
import { GrantTable } from './grant-table.ts'
import type { NewCode, NewLicence } from './issued-store.ts'
import { IssuedStore } from './issued-store.ts'
import { GRACE_MS, type StoredGrant, startAfter } from './rules.ts'

/** The times of a grant whose payment went back. */
const REVERSALS = `(SELECT json_group_array(json_object('from', covers_from, 'until', covers_until, 'reversed', reversed))
  FROM reversals WHERE grant_id = grants.id AND reversed IS NOT NULL)`
/** More than anyone pays for at once; for an owner with more, those that end last count. */
const MAX_GRANTS = 100
const ENDED = `EXISTS (SELECT 1 FROM grants WHERE id = ? AND version = ? AND status = 'ended')`
const PAID = /^(?:subscription|pass):/

/** Everything that gives an identity its tier: grants that were paid for, in one database, and those issued, in another. */
export class EntitlementStore {
  readonly #db: D1Database
  readonly #paid: GrantTable
  readonly #issued: IssuedStore

  constructor(db: D1Database, control: D1Database) {
    this.#db = db
    this.#paid = new GrantTable(db, 'grants', REVERSALS)
    this.#issued = new IssuedStore(control)
  }

  /** Every grant that may apply now or later: one that ended longer ago than the grace period gives nothing. */
  async current(did: string, now: number): Promise<StoredGrant[]> {
    const tables = [this.#paid, this.#issued.grants]
    const found = await Promise.all(tables.map((table) => table.endingAfter(did, now - GRACE_MS, MAX_GRANTS)))
    return found.flat().toSorted(lastFirst).slice(0, MAX_GRANTS)
  }

  find(id: string): Promise<StoredGrant | null> {
    return this.#holding(id).find(id)
  }

  /** Ends a grant as `ended` says, unless it changed since it was read. Returns whether it was written. */
  end(ended: StoredGrant): Promise<boolean> {
    const { id, version } = ended
    if (!PAID.test(id)) return this.#issued.grants.end(ended)
    const told = addingIf(this.#db, endOf(ended), { sql: ENDED, values: [id, version] })
    return this.#paid.end(ended, [told])
  }

  /** Idempotent. Of two acts, the one issued later wins. */
  grantLicence(licence: NewLicence, now: number): Promise<void> {
    return this.#issued.grantLicence(licence, now)
  }

  revokeLicence(licence: Omit<NewLicence, 'tier' | 'expiresAt'>, now: number): Promise<void> {
    return this.#issued.revokeLicence(licence, now)
  }

  issue(code: NewCode, now: number): Promise<void> {
    return this.#issued.issue(code, now)
  }

  /** Of a code that nobody has redeemed. */
  withdrawCode(codeHash: string): ReturnType<IssuedStore['withdrawCode']> {
    return this.#issued.withdrawCode(codeHash)
  }

  /**
   * The grant of a code, which starts when paid or redeemed time of its tier has ended. Null if the code is unknown, expired
   * or another identity's. Idempotent: returns the existing grant.
   */
  async redeem(codeHash: string, did: string, now: number): Promise<StoredGrant | null> {
    const tier = await this.#issued.tierOf(codeHash, did, now)
    if (tier === null) return null
    const from = startAfter(await this.#paid.endingAfter(did, now, MAX_GRANTS), tier, now)
    return this.#issued.redeem(codeHash, did, from, now)
  }

  #holding(id: string): GrantTable {
    return PAID.test(id) ? this.#paid : this.#issued.grants
  }
}

function lastFirst(a: StoredGrant, b: StoredGrant): number {
  return b.periodEnd - a.periodEnd || (a.id < b.id ? -1 : 1)
}
