import { type EventPage, feedEventHash } from '@svc/protocol/events/events'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, type Lie, NOW, OTHER_REALM, signedBy, type VerifyingMethod, verifying } from './situation.ts'

const ZERO = '0'.repeat(96)

/** Core has three events, and the reader saw the first. Mallory has core's receipt key. */
async function feed() {
  const event = (sequence: number, previousHash: string) =>
    ({ sequence, kind: 'hold.placed', ref: 'root', at: NOW, previousHash }) as const
  const first = event(1, ZERO)
  const second = event(2, feedEventHash(first))
  const third = event(3, feedEventHash(second))
  const place = { sequence: 1, hash: feedEventHash(first) }
  const page: EventPage = {
    type: 'svc/event-page/v1',
    realm: REALM,
    did: alice.did,
    after: 1,
    events: [second, third],
    missed: 0,
    head: { sequence: 3, hash: feedEventHash(third) },
    issuedAt: NOW,
  }
  const answers: Record<string, unknown> = {}
  const show = async (members: Partial<EventPage>, by = mallory) => {
    const signed = await signedBy(by, { ...page, ...members })
    answers['/api/events'] = data({ ...signed, publicKeyB64u: mallory.publicKeyB64u })
  }
  await show({})
  const options = { identity: alice, receiptKeyB64u: mallory.publicKeyB64u }
  return { show, second, third, options, args: () => [{ after: place }], answers: () => answers }
}
type Feed = Awaited<ReturnType<typeof feed>>

const lie = (text: string, tell: (situation: Feed) => unknown, reason: Lie['reason']): Lie<Feed> => ({
  lie: text,
  tell,
  subject: 'events',
  reason,
})
/** The client remembers the page with three events. */
const contradiction = (
  ...[text, tell, reason, position]: [...Parameters<typeof lie>, position: number]
): Lie<Feed> => ({
  ...lie(text, tell, reason),
  where: { position },
  afterTruth: true,
})

const URL_OF_HOOK = 'https://hooks.example.org/svc'

/** A delivery of the same feed, whose first event was handled. */
async function delivery() {
  const { second, third, args } = await feed()
  const after = args()[0]?.after
  const page: EventPage = {
    type: 'svc/event-page/v1',
    realm: REALM,
    did: alice.did,
    after: 1,
    events: [second, third],
    missed: 0,
    head: { sequence: 3, hash: feedEventHash(third) },
    issuedAt: NOW,
  }
  const expected = { did: alice.did, url: URL_OF_HOOK, realms: [REALM], receiptKeyB64u: mallory.publicKeyB64u }
  const situation = {
    body: {} as unknown,
    second,
    third,
    show: async (members: object, by = mallory) => {
      situation.body = { ...(await signedBy(by, { ...page, ...members })), publicKeyB64u: mallory.publicKeyB64u }
    },
    challenge: async (members: object, by = mallory) => {
      const hookId = 'A'.repeat(22)
      const asked = { type: 'svc/event-challenge/v1', realm: REALM, hookId, url: URL_OF_HOOK, issuedAt: NOW }
      const signed = await signedBy(by, { ...asked, challenge: 'B'.repeat(43), ...members })
      situation.body = { ...signed, publicKeyB64u: mallory.publicKeyB64u }
    },
    of: () => import('../../src/verify.ts'),
    args: () => [situation.body, { ...expected, after, now: NOW }],
  }
  await situation.show({})
  return situation
}
type Told = Awaited<ReturnType<typeof delivery>>
const falseDelivery = (text: string, reason: Lie['reason'], tell: (situation: Told) => unknown): Lie<Told> => ({
  lie: text,
  tell,
  subject: 'events',
  reason,
})

export const EVENTS: readonly VerifyingMethod[] = [
  verifying({
    name: 'verifyDelivery',
    honest: delivery,
    lies: [
      falseDelivery('sends something else', 'malformed', (situation) => {
        situation.body = { hello: 'world' }
      }),
      falseDelivery('sends events signed by another key', 'invalid_signature', ({ show }) => show({}, alice)),
      falseDelivery('sends events of another deployment', 'invalid_signature', ({ show }) =>
        show({ realm: OTHER_REALM }),
      ),
      falseDelivery('sends what it signed ten minutes ago', 'expired', ({ show }) => show({ issuedAt: NOW - 600_000 })),
      falseDelivery('sends events of another identity', 'wrong_identity', ({ show }) => show({ did: mallory.did })),
      falseDelivery('leaves out a delivery', 'left_out', ({ show, third }) => show({ after: 2, events: [third] })),
      falseDelivery('leaves out an event', 'left_out', ({ show, third }) => show({ events: [third] })),
      falseDelivery('changes an event', 'fork', ({ show, second, third }) =>
        show({ events: [{ ...second, ref: 'other' }, third] }),
      ),
      falseDelivery('sends another event again than before', 'fork', ({ show, second }) => {
        const first = { ...second, sequence: 1, previousHash: ZERO, ref: 'other' }
        return show({ after: 0, events: [first], head: { sequence: 1, hash: feedEventHash(first) } })
      }),
      falseDelivery('sends a challenge that is signed by another key', 'invalid_signature', ({ challenge }) =>
        challenge({}, alice),
      ),
      falseDelivery('sends a challenge for another address', 'different_answer', ({ challenge }) =>
        challenge({ url: 'https://other.example.org/' }),
      ),
      falseDelivery('sends a challenge of ten minutes ago', 'expired', ({ challenge }) =>
        challenge({ issuedAt: NOW - 600_000 }),
      ),
    ],
  }),
  verifying({
    name: 'client.events.read',
    honest: feed,
    lies: [
      lie('shows events signed by another key', ({ show }) => show({}, alice), 'invalid_signature'),
      lie('shows events for another deployment', ({ show }) => show({ realm: OTHER_REALM }), 'invalid_signature'),
      lie('shows the events of another identity', ({ show }) => show({ did: mallory.did }), 'wrong_identity'),
      lie('answers for another cursor', ({ show }) => show({ after: 0 }), 'different_answer'),
      lie('leaves out an event', ({ show, third }) => show({ events: [third] }), 'left_out'),
      lie('shows nothing although there is more', ({ show }) => show({ events: [] }), 'left_out'),
      lie(
        'changes an event',
        ({ show, second, third }) => show({ events: [{ ...second, kind: 'hold.lifted' }, third] }),
        'fork',
      ),
      lie(
        'shows another history than before',
        ({ show, second }) => {
          const other = { ...second, previousHash: ZERO }
          return show({ events: [other], head: { sequence: 2, hash: feedEventHash(other) } })
        },
        'fork',
      ),
      lie(
        'has fewer events than before',
        ({ show }) => show({ events: [], head: { sequence: 0, hash: ZERO } }),
        'rollback',
      ),
      contradiction(
        'takes back an event',
        ({ show, second }) => show({ events: [second], head: { sequence: 2, hash: feedEventHash(second) } }),
        'rollback',
        2,
      ),
      contradiction(
        'replaces the newest event',
        ({ show, second, third }) => {
          const other = { ...third, kind: 'hold.lifted' }
          return show({ events: [second, other], head: { sequence: 3, hash: feedEventHash(other) } })
        },
        'fork',
        3,
      ),
      contradiction(
        'replaces an event and adds another',
        ({ show, second, third }) => {
          const other = { ...third, kind: 'hold.lifted' }
          const fourth = { ...third, sequence: 4, previousHash: feedEventHash(other) }
          return show({ events: [second, other, fourth], head: { sequence: 4, hash: feedEventHash(fourth) } })
        },
        'fork',
        3,
      ),
      contradiction(
        'claims more events than it can show',
        ({ show }) => show({ head: { sequence: 5, hash: ZERO } }),
        'unproved',
        5,
      ),
    ],
  }),
]
