import type { BindingEventName, OrgRole } from '@svc/protocol/did/org-bindings'
import type { TestCaller } from '@svc/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { boundMember, callers, organization, prober, subjectOf } from './organization.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

// Every event is signed, and every answer of a day asked for.
const HOUR_MS = 3_600_000
const ROLES: readonly OrgRole[] = ['guest', 'member', 'manager', 'admin']
const KINDS: readonly BindingEventName[] = ['bind', 'update', 'suspend', 'resume', 'revoke']

/** Mulberry32: the same run for the same seed, which a failure names. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** The model: what a person with a card index would keep. It shares nothing with the law that it is held against. */
class CardIndex {
  readonly cards = new Map<
    string,
    {
      role: OrgRole
      subject: number
      accepted: boolean
      ends: number | null
      away: [number, number] | null
      gone: boolean
    }
  >()

  /** Whether the change is allowed; then the card is changed. */
  write(
    kind: BindingEventName,
    who: string,
    told: { role: OrgRole; subject: number; accepted: boolean; ends: number | null; away: [number, number] },
  ): boolean {
    const card = this.cards.get(who)
    const isIn = card !== undefined && !card.gone
    if (kind === 'bind' ? isIn : !isIn) return false
    const { role, subject, accepted, ends, away } = told
    if (kind === 'bind' || kind === 'update') {
      const others = [...this.cards].filter(([name, other]) => name !== who && !other.gone)
      if (others.some(([, other]) => other.subject === subject)) return false
      const kept = kind === 'update' && card?.subject === subject && card.accepted
      this.cards.set(who, {
        role,
        subject,
        ends,
        accepted: accepted || kept,
        away: kind === 'update' ? (card?.away ?? null) : null,
        gone: false,
      })
      return true
    }
    if (!card) return false
    if (kind === 'suspend') card.away = away
    if (kind === 'resume') card.away = null
    if (kind === 'revoke') card.gone = true
    return true
  }

  statusAt(who: string, time: number): string {
    const card = this.cards.get(who)
    if (!card) return 'nobody'
    if (card.gone) return 'revoked'
    if (card.ends !== null && time >= card.ends) return 'expired'
    if (!card.accepted) return 'pending'
    return card.away && time >= card.away[0] && time < card.away[1] ? 'suspended' : 'active'
  }
}

it.each([1, 424_242])('random events fold into what a simple model says (seed %i)', async (seed) => {
  const { org, did } = await organization()
  const people = await callers(4)
  const pick = random(seed)
  const model = new CardIndex()
  const start = Date.now()
  const { members } = org.client
  let refused = 0
  for (let step = 0; step < 30; step++) {
    const person = people[pick(people.length)] as TestCaller
    const memberDid = person.identity.did
    const kind = KINDS[pick(KINDS.length)] as BindingEventName
    const subject = pick(5)
    const subjectHash = subjectOf(did, String(subject))
    const ends = pick(3) === 0 ? start + (1 + pick(6)) * HOUR_MS : null
    const from = start + pick(4) * HOUR_MS
    const away: [number, number] = [from, from + (1 + pick(3)) * HOUR_MS]
    const accepted = pick(2) === 0
    const role = ROLES[pick(4)] as OrgRole
    const provider = 'login.example.com'
    const acceptance = accepted
      ? await person.client.membership.accept({ orgDid: did, provider, subjectHash })
      : undefined
    const terms = {
      memberDid,
      provider,
      subjectHash,
      role,
      ...(ends === null ? {} : { expiresAt: ends }),
      ...(acceptance ? { acceptance } : {}),
    }
    const send = {
      bind: () => members.bind(terms),
      update: () => members.update(terms),
      suspend: () => members.suspend(memberDid, { from: away[0], until: away[1] }),
      resume: () => members.resume(memberDid),
      revoke: () => members.revoke(memberDid),
    }[kind]
    const isTaken = model.write(kind, memberDid, { role, subject, accepted, ends, away })
    const outcome = await send().then(
      () => 'taken',
      ({ error }: { error: string }) => error,
    )
    if (isTaken) expect(outcome, `step ${step}: ${kind}`).toBe('taken')
    else expect(outcome, `step ${step}: ${kind}`).toMatch(/^(?:member|subject)_(?:not_)?bound$/)
    if (!isTaken) refused++
  }
  expect(refused).toBeGreaterThan(0)
  const folded = (await members.verify()).members
  for (let hour = 0; hour < 8; hour++) {
    const time = start + hour * HOUR_MS
    vi.useFakeTimers({ now: Math.max(time, Date.now()), toFake: ['Date'] })
    const now = Date.now()
    const { memberships } = await members.memberships()
    const listed = await members.list({ limit: 200 })
    for (const { identity } of people) {
      const status = model.statusAt(identity.did, now)
      const membership = memberships.find(({ memberDid }) => memberDid === identity.did)
      expect(membership?.status ?? 'nobody').toBe(status)
      expect(membership?.role).toBe(model.cards.get(identity.did)?.role)
      const isListed = listed.members.some(({ memberDid }) => memberDid === identity.did)
      expect(isListed).toBe(status !== 'nobody' && status !== 'revoked')
      const path = `/1.0/org/${did}/verify/${identity.did}`
      expect((await prober.send({ method: 'GET', path })).body).toMatchObject({ bound: status === 'active' })
      expect(folded.get(identity.did)?.latest.hash).toBe(membership?.latest.hash)
    }
    vi.useRealTimers()
  }
  expect(memberCount(folded)).toBe(model.cards.size)
})

const memberCount = (folded: ReadonlyMap<string, unknown>) => folded.size

it('a log of two pages folds like one', async () => {
  const { org, did } = await organization()
  const { identity } = await boundMember(org)
  for (let i = 0; i < 26; i++) {
    await org.client.members.suspend(identity.did)
    await org.client.members.resume(identity.did)
  }
  const { head, members } = await org.client.members.verify()
  expect(head.sequence).toBe(53)
  expect(members.get(identity.did)).toMatchObject({ suspension: null, latest: { sequence: 53, event: 'resume' } })
  const { events, next } = await org.client.members.events(1, did)
  expect([events.length, next]).toEqual([50, 51])
})
