import { hashTextHex } from '@svc/protocol/base/hash'
import { EMPTY_ORG_HEAD, type OrgEvent, orgEventHash } from '@svc/protocol/did/org-bindings'
import { Client } from '../../src/client.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { fetchOf } from '../fetch.ts'
import { alice, mallory } from '../sides.ts'
import { OFFICERS } from './officers.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const headOf = (events: readonly OrgEvent[]) => {
  const last = events.at(-1)
  return last ? { sequence: last.statement.sequence, hash: orgEventHash(last) } : EMPTY_ORG_HEAD
}

/** A client of the organization, which writes to these events. */
function writerTo(events: OrgEvent[]): Client {
  const fetch = async (request: Request) => {
    if (request.url.includes('/history')) return Response.json(data(keysOf(alice)))
    if (request.url.includes('/members'))
      return Response.json({ orgDid: alice.did, members: [], cursor: null, head: headOf(events) })
    if (request.method !== 'POST') {
      const acceptedAt = events.map(() => NOW)
      return Response.json({ orgDid: alice.did, events, acceptedAt, next: null, head: headOf(events) })
    }
    events.push(await request.json<OrgEvent>())
    return Response.json({ orgDid: alice.did, ...headOf(events), acceptedAt: NOW })
  }
  return new Client({
    core: 'https://core.test',
    did: 'https://did.test',
    identity: alice,
    fetch: fetchOf(fetch),
    now: () => NOW,
  })
}

async function written(...members: readonly string[]): Promise<OrgEvent[]> {
  const events: OrgEvent[] = []
  for (const member of members) {
    const terms = { memberDid: `did:svc:${member.repeat(32)}`, provider: 'login.example.com', role: 'member' as const }
    await writerTo(events).members.bind({ ...terms, subjectHash: hashTextHex(member) })
  }
  return events
}

/** Two members of an organization. */
async function roster() {
  const situation = {
    events: await written('a', 'b'),
    shown: {} as Record<string, unknown>,
    options: { identity: alice },
    args: () => [],
    answers: () => ({
      ...keyAnswers(alice),
      [`/1.0/org/${encodeURIComponent(alice.did)}/members`]: {
        orgDid: alice.did,
        members: [],
        cursor: null,
        head: headOf(situation.events),
      },
      [`/1.0/org/${encodeURIComponent(alice.did)}/events`]: (query: URLSearchParams) => {
        const events = situation.events.slice(Number(query.get('from') ?? 1) - 1)
        const acceptedAt = events.map(() => NOW)
        const page = { orgDid: alice.did, events, acceptedAt, next: null, head: headOf(situation.events) }
        return { ...page, ...situation.shown }
      },
    }),
  }
  return situation
}
type Roster = Awaited<ReturnType<typeof roster>>
const resigned = async (s: Roster, changes: object, by: Identity = alice) => {
  const event = s.events[1]!
  s.events[1] = { ...event, ...(await signedBy(by, event.statement as object, changes)) } as OrgEvent
}
const rosterLies: readonly Lie<Roster>[] = [
  {
    lie: 'changes an event',
    tell: (s) => {
      const event = s.events[1]!
      s.events[1] = { ...event, statement: { ...event.statement, issuedAt: NOW + 1 } }
    },
    subject: 'organization',
    reason: 'invalid_signature',
    where: { sequence: 2 },
  },
  {
    lie: 'shows an event signed by another key',
    tell: (s) => resigned(s, {}, mallory),
    subject: 'organization',
    reason: 'invalid_signature',
    where: { sequence: 2 },
  },
  {
    lie: 'shows an event for another deployment',
    tell: (s) => resigned(s, { realm: OTHER_REALM }),
    subject: 'organization',
    reason: 'invalid_signature',
    where: { sequence: 2 },
  },
  {
    lie: 'binds the same member twice',
    tell: (s) => resigned(s, { memberDid: s.events[0]!.statement.memberDid }),
    subject: 'organization',
    reason: 'member_bound',
    where: { sequence: 2 },
  },
  {
    lie: 'leaves out an event in the middle',
    tell: (s) => void s.events.shift(),
    subject: 'organization',
    reason: 'stale_org_head',
    where: { sequence: 2 },
  },
  {
    lie: 'leaves out the newest event',
    tell: (s) => {
      s.shown = { head: headOf(s.events) }
      s.events.pop()
    },
    subject: 'organization',
    reason: 'left_out',
    where: { sequence: 2 },
  },
  {
    lie: 'shows an older log than before',
    tell: (s) => void s.events.pop(),
    subject: 'organization',
    reason: 'rollback',
    where: { position: 1 },
    afterTruth: true,
  },
  {
    lie: 'shows another log than before',
    tell: async (s) => {
      s.events = await written('a', 'c')
    },
    subject: 'organization',
    reason: 'fork',
    where: { position: 2 },
    afterTruth: true,
  },
]

function membership() {
  const answer = { orgDid: alice.did, memberDid: mallory.did, bound: true, provider: 'login.example.com' }
  const path = `/1.0/org/${encodeURIComponent(alice.did)}/verify/${encodeURIComponent(mallory.did)}`
  return { answer, args: () => [alice.did, mallory.did], answers: () => ({ [path]: answer }) }
}

export const ORGANIZATIONS = [
  verifying({ name: 'client.members.verify', honest: roster, lies: rosterLies }),
  verifying({
    name: 'client.members.list',
    honest: async () => Object.assign(await roster(), { see: (client: Client) => client.members.verify() }),
    lies: rosterLies.filter(({ afterTruth }) => afterTruth),
  }),
  ...OFFICERS,
  verifying({
    name: 'client.membership.verify',
    honest: membership,
    lies: [
      {
        lie: 'answers for another member',
        tell: ({ answer }) => {
          answer.memberDid = alice.did
        },
        subject: 'membership',
        reason: 'different_answer',
      },
      {
        lie: 'answers for another organization',
        tell: ({ answer }) => {
          answer.orgDid = mallory.did
        },
        subject: 'membership',
        reason: 'different_answer',
      },
      {
        lie: 'says that the member is not bound',
        tell: ({ answer }) => {
          answer.bound = false
        },
        subject: 'membership',
        reason: 'not_bound',
      },
    ],
  }),
]
