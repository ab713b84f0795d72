/** What an organization tells the objects of its members. Objects are called as the Worker calls them once it has verified. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  EMPTY_ORG_HEAD,
  type OrgBinding,
  type OrgEvent,
  type OrgHead,
  orgEventHash,
} from '@svc/protocol/did/org-bindings'
import { delaysDuring } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import type { OrganizationObject } from '../../src/organizations/object.ts'
import { objectsWith, rowsOf, subjectOf } from './organization.fixture.ts'

const SCOPE = 'user:of-the-tests'
const AT = 1_000
const freshDid = () => `did:svc:${crypto.randomUUID()}`
const organizationOf = (did: string) => env.ORGANIZATIONS.getByName(did)
const listOf = (member: string) => env.MEMBERSHIPS.getByName(member).list('', 200)

function eventOf(orgDid: string, head: OrgHead, statement: Partial<OrgBinding> & { memberDid: string }) {
  const terms = {
    provider: 'login.example.com',
    subjectHash: subjectOf(orgDid, statement.memberDid),
    role: 'member' as const,
    permissions: [],
    expiresAt: null,
  }
  const place = { sequence: head.sequence + 1, previousHash: head.hash, rootEpoch: 0, issuedAt: AT }
  const about = { type: 'svc/org-binding/v1', orgDid, orgScope: SCOPE, event: 'bind', ...place }
  const isBind = statement.event === undefined || statement.event === 'update'
  const event = {
    statement: { ...about, ...(isBind ? terms : {}), ...statement },
    signatureB64u: 'A',
  } as unknown as OrgEvent
  return { event, sender: { did: orgDid, scope: SCOPE, epoch: 0, hash: orgEventHash(event) } }
}

/** Appends, and returns the head. */
async function appended(orgDid: string, head: OrgHead, statement: Partial<OrgBinding> & { memberDid: string }) {
  const { event, sender } = eventOf(orgDid, head, statement)
  const done = await organizationOf(orgDid).append(event, sender, AT)
  expect(done).toEqual({ ok: true, value: AT })
  return { sequence: event.statement.sequence, hash: sender.hash }
}

type Take = (real: Record<string, (...args: unknown[]) => Promise<unknown>>, ...args: unknown[]) => unknown
/** From now until it is started anew, the organization finds the objects of its members so. */
function findsMembers(orgDid: string, take: (state: DurableObjectState) => Take): Promise<void> {
  return runInDurableObject(organizationOf(orgDid), (object: OrganizationObject, state) => {
    const MEMBERSHIPS = objectsWith(env.MEMBERSHIPS, { take: take(state) })
    Object.defineProperty(object, 'env', { value: { ...env, MEMBERSHIPS } })
  })
}
const down = () => () => Promise.reject(new Error('the object is down'))
const untold = (orgDid: string) => rowsOf(orgDid, 'SELECT member, attempts FROM untold ORDER BY member')

describe('a member’s own list', () => {
  it('has an event before its answer, and the newest state after each', async () => {
    const [org, memberDid] = [freshDid(), freshDid()]
    const bound = await appended(org, EMPTY_ORG_HEAD, { memberDid })
    expect(await listOf(memberDid)).toMatchObject([{ org, member: { isRevoked: false, latest: { event: 'bind' } } }])
    await appended(org, bound, { memberDid, event: 'revoke' })
    expect(await listOf(memberDid)).toMatchObject([{ org, member: { isRevoked: true, latest: { sequence: 2 } } }])
    expect(await untold(org)).toEqual([])
  })

  it('comes in pages, sorted by organization', async () => {
    const [memberDid, ...orgs] = Array.from({ length: 6 }, freshDid) as [string, ...string[]]
    for (const org of orgs) await appended(org, EMPTY_ORG_HEAD, { memberDid })
    const list = env.MEMBERSHIPS.getByName(memberDid)
    const first = await list.list('', 2)
    const rest = await list.list(first.at(-1)?.org ?? '', 200)
    expect([...first, ...rest].map(({ org }) => org)).toEqual(orgs.toSorted())
  })

  it('takes nothing older than what it has, and nothing twice', async () => {
    const [org, memberDid] = [freshDid(), freshDid()]
    const bound = await appended(org, EMPTY_ORG_HEAD, { memberDid })
    const [older] = await listOf(memberDid)
    await appended(org, bound, { memberDid, event: 'revoke' })
    const newest = await listOf(memberDid)
    for (const told of [older!, newest[0]!, older!]) await env.MEMBERSHIPS.getByName(memberDid).take(told)
    expect(await listOf(memberDid)).toEqual(newest)
  })
})

describe('while the object of a member cannot be reached', () => {
  it('the event stands, and the alarm tells the newest state later', async () => {
    const [org, memberDid] = [freshDid(), freshDid()]
    const first = await appended(org, EMPTY_ORG_HEAD, { memberDid })
    await findsMembers(org, down)
    const delays = await delaysDuring(async () => {
      const suspended = { memberDid, event: 'suspend', suspendedFrom: null, suspendedUntil: null } as const
      const second = await appended(org, first, suspended)
      await appended(org, second, { memberDid, event: 'revoke' })
    })
    expect(delays).toEqual(['member lists', 'member lists'])
    expect(await listOf(memberDid)).toMatchObject([{ member: { latest: { sequence: 1 } } }])
    expect(await untold(org)).toMatchObject([{ member: memberDid }])
    await evictDurableObject(organizationOf(org))
    await alarmAt(org, Date.now() + 60_000)
    expect(await listOf(memberDid)).toMatchObject([{ member: { isRevoked: true, latest: { sequence: 3 } } }])
    expect(await untold(org)).toEqual([])
  })

  it('it is tried again, each time later', async () => {
    const [org, memberDid] = [freshDid(), freshDid()]
    await findsMembers(org, down)
    await appended(org, EMPTY_ORG_HEAD, { memberDid })
    const waits: number[] = []
    let last = Date.now()
    for (let attempt = 1; attempt <= 3; attempt++) {
      const [row] = await rowsOf(org, 'SELECT due_at, attempts FROM untold')
      expect(row?.['attempts']).toBe(attempt)
      const due = Number(row?.['due_at'])
      waits.push(Math.round((due - last) / 1000))
      await alarmAt(org, due)
      last = due
    }
    expect(waits).toEqual([5, 10, 20])
  })

  it('others are told', async () => {
    const [org, lost, other] = [freshDid(), freshDid(), freshDid()]
    await findsMembers(org, () => async (real, ...args) => {
      if ((args[0] as { member: { memberDid: string } }).member.memberDid === lost)
        throw new Error('the object is down')
      return real['take']?.(...args)
    })
    const head = await appended(org, EMPTY_ORG_HEAD, { memberDid: lost })
    await appended(org, head, { memberDid: other })
    expect(await listOf(other)).toHaveLength(1)
    expect(await untold(org)).toMatchObject([{ member: lost }])
  })
})

it.each(['request', 'answer'] as const)(
  'an organization that is killed where the %s of telling was lost tells after its restart, and once is enough',
  async (lost) => {
    const [org, memberDid] = [freshDid(), freshDid()]
    const { event, sender } = eventOf(org, EMPTY_ORG_HEAD, { memberDid })
    await findsMembers(org, () => async (real, ...args) => {
      if (lost === 'answer') await real['take']?.(...args)
      throw new Error(`the ${lost} was lost`)
    })
    expect(await organizationOf(org).append(event, sender, AT)).toEqual({ ok: true, value: AT })
    const list = await listOf(memberDid)
    expect(list).toHaveLength(lost === 'answer' ? 1 : 0)
    await runInDurableObject(organizationOf(org), (_, state) => state.abort('killed')).catch(() => null)
    expect(await untold(org)).toHaveLength(1)
    await alarmAt(org, Date.now() + 60_000)
    const [told] = await listOf(memberDid)
    expect(told).toMatchObject({ org, member: { memberDid, latest: { sequence: 1 } } })
    if (lost === 'answer') expect([told]).toEqual(list)
    expect(await untold(org)).toEqual([])
    expect(await organizationOf(org).append(event, sender, AT + 1)).toEqual({ ok: true, value: AT })
  },
)

it('of twenty events for one place one is written, and the others are told the head', async () => {
  const org = freshDid()
  const events = Array.from({ length: 20 }, () => eventOf(org, EMPTY_ORG_HEAD, { memberDid: freshDid() }))
  const answers = await Promise.all(events.map(({ event, sender }) => organizationOf(org).append(event, sender, AT)))
  const winner = events[answers.findIndex(({ ok }) => ok)]
  const head = { sequence: 1, hash: winner?.sender.hash }
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect(answers.filter(({ ok }) => !ok)).toEqual(
    Array.from({ length: 19 }, () => ({ ok: false, error: { reason: 'stale_org_head', head } })),
  )
  expect(await rowsOf(org, 'SELECT sequence FROM events')).toEqual([{ sequence: 1 }])
})

it('reading an organization and a member leaves nothing behind', async () => {
  const [org, memberDid] = [freshDid(), freshDid()]
  const { event, sender } = eventOf(org, { sequence: 3, hash: 'a'.repeat(96) }, { memberDid })
  const organization = organizationOf(org)
  expect(await organization.append(event, sender, AT)).toMatchObject({ ok: false, error: { reason: 'stale_org_head' } })
  await organization.judge(event, sender)
  await organization.member(memberDid)
  await organization.members({ after: '', limit: 5, withRevoked: true })
  await organization.events(1, 5)
  await listOf(memberDid)
  for (const object of [organization, env.MEMBERSHIPS.getByName(memberDid)]) {
    const tables = await runInDurableObject(object as DurableObjectStub, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'").toArray(),
    )
    expect(tables).toEqual([])
  }
})

/** Has the alarm go off at a time. */
async function alarmAt(org: string, now: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now })
  try {
    expect(await runDurableObjectAlarm(organizationOf(org))).toBe(true)
  } finally {
    vi.useRealTimers()
  }
}
