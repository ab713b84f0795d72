/** The bindings of an organization, and when their keys ended. */
import { NO_ORG_EVENT, type OrgEvent, orgEventHash } from '@svc/protocol/did/org-bindings'
import { REALM } from '../realm.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, signedBy, verifying } from './situation.ts'

const named = (sequence: number) => ({ sequence, hash: 'a7'.repeat(48) })
const TERMS = { provider: 'login.example.com', subjectHash: 'b7'.repeat(48) }

/** A member who was bound and accepted, and accepted an update. */
interface Bindings {
  /** What the events name, and what their acceptances name. */
  events: [number, number]
  accepted: [number, number]
  acceptedAt: number
}

async function eventsOf({ events, accepted }: Bindings, org = alice, member = mallory): Promise<OrgEvent[]> {
  const made: OrgEvent[] = []
  const about = { realm: REALM, orgDid: org.did, orgScope: org.scope, memberDid: member.did, ...TERMS }
  for (const i of [0, 1] as const) {
    const before = made.at(-1)
    const acceptance = await signedBy(member, {
      type: 'svc/org-acceptance/v1' as const,
      ...about,
      inception: named(accepted[i]),
      issuedAt: NOW + i,
    })
    const signed = await signedBy(org, {
      type: 'svc/org-binding/v1' as const,
      ...about,
      rootEpoch: 0,
      sequence: i + 1,
      previousHash: before ? orgEventHash(before) : NO_ORG_EVENT,
      event: before ? ('update' as const) : ('bind' as const),
      role: 'member' as const,
      permissions: [],
      expiresAt: null,
      inception: named(events[i]),
      issuedAt: NOW,
    })
    made.push({ ...signed, acceptance: { ...acceptance, publicKeyB64u: member.publicKeyB64u } })
  }
  return made
}

async function bindings(org = alice, member = mallory, keys: object = {}) {
  const shown: Bindings = { events: [2, 3], accepted: [4, 5], acceptedAt: NOW }
  const path = `/1.0/org/${encodeURIComponent(org.did)}/events`
  const situation = {
    shown,
    events: await eventsOf(shown, org, member),
    /** Shows other events. */
    change: async (changes: Partial<Bindings>) => {
      situation.events = await eventsOf({ ...shown, ...changes }, org, member)
    },
    options: { identity: org },
    args: () => [],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      ...keys,
      [path]: () => {
        const { events } = situation
        const head = { sequence: events.length, hash: orgEventHash(events.at(-1)!) }
        return { orgDid: org.did, events, acceptedAt: events.map(() => shown.acceptedAt), next: null, head }
      },
    }),
  }
  return situation
}
type Bound = Awaited<ReturnType<typeof bindings>>

/** The same situation after a rotation that ended the first key of Alice at `NOW`. */
async function afterRotation(org = alice, member = mallory) {
  const { keys } = await heirOfAlice()
  const history = (query: URLSearchParams) => data({ ...keysOf(alice), keys: keys.slice(Number(query.get('from'))) })
  return bindings(org, member, { [`/api/chain/root/${alice.did}/history`]: history })
}

const ofBindings = (lie: string, reason: Lie['reason'], tell: Lie<Bound>['tell']): Lie<Bound> => ({
  lie,
  reason,
  tell,
  subject: 'organization',
  where: { sequence: 2 },
})
const late = ({ shown }: Bound) => {
  shown.acceptedAt = NOW + 1
}

export const ORGANIZATION_ORDER = [
  verifying({
    name: 'client.members.verify',
    given: 'with acceptances',
    honest: () => bindings(),
    lies: [
      ofBindings('shows an event that names an older event than the one before', 'older_head', ({ change }) =>
        change({ events: [3, 2] }),
      ),
      ofBindings('shows an acceptance that names an older event than the one before', 'older_head', ({ change }) =>
        change({ accepted: [5, 4] }),
      ),
    ],
  }),
  verifying({
    name: 'client.members.verify',
    given: 'after a rotation of the organization',
    honest: () => afterRotation(),
    lies: [ofBindings('shows an event of the previous key that it accepted after the rotation', 'unordered', late)],
  }),
  verifying({
    name: 'client.members.verify',
    given: 'after a rotation of a member',
    honest: () => afterRotation(mallory, alice),
    lies: [
      ofBindings('counts an acceptance by the previous key that it accepted after the rotation', 'unordered', late),
    ],
  }),
]
