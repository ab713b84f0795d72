import { EMPTY_ORG_HEAD, type OrgEvent, type OrgHead } from '@svc/protocol/did/org-bindings'
import { MembershipsObject as Memberships } from '../../../../workers/did/src/memberships/object.ts'
import { OrganizationObject as Organization } from '../../../../workers/did/src/organizations/object.ts'
import type { OrganizationCounts } from './organization-counts.ts'

interface Bench {
  readonly ORGANIZATIONS: DurableObjectNamespace<OrganizationObject>
  readonly MEMBERSHIPS: DurableObjectNamespace<MembershipsObject>
}

const ORG = `did:svc:${'b'.repeat(32)}`
const SCOPE = 'cd'.repeat(48)
const hashOf = (i: number) => String(i).padStart(96, '0')
const memberOf = (i: number) => `did:svc:${String(i).padStart(32, '0')}`

/** Counts the rows that an object writes. */
function countIn(sql: Pick<SqlStorage, 'exec'>): () => number {
  const exec = sql.exec.bind(sql)
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  sql.exec = ((...query: Parameters<typeof exec>) => {
    const cursor = exec(...query)
    cursors.push(cursor)
    return cursor
  }) as typeof exec
  return () => {
    sql.exec = exec
    return cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
  }
}

export class MembershipsObject extends Memberships {
  #written: (() => number) | null = null

  count(): void {
    this.#written = countIn(this.stored.sql)
  }

  counted(): number {
    return this.#written?.() ?? 0
  }
}

/** An organization whose events are not verified: what is counted is what its object does. */
export class OrganizationObject extends Organization {
  /** One event for each member, as long as the log is, without what was signed. */
  async fill(to: number): Promise<void> {
    if (!this.stored.exists) await this.append(...eventAt(1, EMPTY_ORG_HEAD))
    const { sequence: from } = this.events(1, 0).head
    this.stored.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO events (sequence, hash, event, accepted_at) SELECT i, printf('%096d', i), '{}', 1 FROM n`,
      from + 1,
      to,
    )
    this.stored.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO members (member, provider, subject_hash, role, permissions, is_suspended, is_revoked, is_accepted,
         sequence, hash, kind, accepted_at)
       SELECT 'did:svc:' || printf('%032d', i), 'login.example.com', printf('%096d', i), 'member', '[]', 0, 0, 1, i,
         printf('%096d', i), 'bind', 1 FROM n`,
      from + 1,
      to,
    )
  }

  async counts(count: number): Promise<OrganizationCounts> {
    const { head } = this.events(1, 0)
    const before = this.ctx.storage.sql.databaseSize
    const rowsOf = countIn(this.stored.sql)
    let last: OrgHead = head
    for (let i = 0; i < count; i++) {
      const appended = await this.append(...eventAt(last.sequence + 1, last))
      if (!appended.ok) throw new Error(`an event was refused: ${appended.error.reason}`)
      last = { sequence: last.sequence + 1, hash: hashOf(last.sequence + 1) }
    }
    return { rowsWritten: rowsOf(), bytes: this.ctx.storage.sql.databaseSize - before }
  }
}

/** A bind with an acceptance, with keys and signatures of full length. */
function eventAt(sequence: number, head: OrgHead): Parameters<Organization['append']> {
  const [memberDid, provider, subjectHash] = [memberOf(sequence), 'login.example.com', hashOf(sequence)]
  const acceptance = {
    type: 'svc/org-acceptance/v1',
    orgDid: ORG,
    orgScope: SCOPE,
    memberDid,
    provider,
    subjectHash,
    inception: null,
    issuedAt: 1,
  }
  const event = {
    statement: {
      type: 'svc/org-binding/v1',
      orgDid: ORG,
      orgScope: SCOPE,
      rootEpoch: 0,
      sequence,
      previousHash: head.hash,
      memberDid,
      event: 'bind',
      provider,
      subjectHash,
      role: 'member',
      permissions: [],
      expiresAt: null,
      inception: null,
      issuedAt: 1,
    },
    signatureB64u: 'A'.repeat(4_412),
    acceptance: { statement: acceptance, signatureB64u: 'A'.repeat(4_412), publicKeyB64u: 'A'.repeat(2_603) },
  }
  return [event as unknown as OrgEvent, { did: ORG, scope: SCOPE, epoch: 0, hash: hashOf(sequence) }, 1]
}

export default {
  async fetch(request: Request, env: Bench): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const [size, count] = [Number(searchParams.get('size')), Number(searchParams.get('count'))]
    const organization = env.ORGANIZATIONS.getByName(ORG)
    await organization.fill(size)
    const members = Array.from({ length: count }, (_, i) => env.MEMBERSHIPS.getByName(memberOf(size + 1 + i)))
    await Promise.all(members.map((member) => member.count()))
    const { rowsWritten, bytes } = await organization.counts(count)
    const told = await Promise.all(members.map((member) => member.counted()))
    return Response.json({ rowsWritten: told.reduce((sum, rows) => sum + rows, rowsWritten), bytes })
  },
}
