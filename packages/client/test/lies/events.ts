import { type EventPage, type FeedEvent, feedEventHash } from '@svc/protocol/events/events'
import { BEGINNING } from '@svc/protocol/events/page-fault'
import { chained, headOf, pageOf } from '../feed.ts'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, type Lie, NOW, OTHER_REALM, signedBy, type VerifyingMethod, verifying } from './situation.ts'

const ZERO = '0'.repeat(96)

const BEFORE = chained(['hold.placed', 'rotation.pending', 'rotation.frozen'])
/** Core has three events, and the reader saw the first. */
const PAGE = pageOf(alice.did, BEFORE, { after: 1 })
const [first, second, third] = BEFORE as [FeedEvent, FeedEvent, FeedEvent]
const PLACE = headOf([first])

/** Mallory has core's receipt key. */
async function feed() {
  const answers: Record<string, unknown> = {}
  const show = async (members: Partial<EventPage>, by = mallory) => {
    const signed = await signedBy(by, { ...PAGE, ...members })
    answers['/api/events'] = data({ ...signed, publicKeyB64u: mallory.publicKeyB64u })
  }
  await show({})
  const options = { identity: alice, receiptKeyB64u: mallory.publicKeyB64u }
  return { show, options, args: () => [{ after: PLACE }], answers: () => answers }
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
  const expected = { did: alice.did, url: URL_OF_HOOK, realms: [REALM], receiptKeyB64u: mallory.publicKeyB64u }
  const situation = {
    body: {} as unknown,
    show: async (members: object, by = mallory) => {
      situation.body = { ...(await signedBy(by, { ...PAGE, ...members })), publicKeyB64u: mallory.publicKeyB64u }
    },
    challenge: async (members: object, by = mallory) => {
      const hookId = 'A'.repeat(22)
      const asked = { type: 'svc/event-challenge/v1', realm: REALM, hookId, url: URL_OF_HOOK, issuedAt: NOW }
      const signed = await signedBy(by, { ...asked, challenge: 'B'.repeat(43), ...members })
      situation.body = { ...signed, publicKeyB64u: mallory.publicKeyB64u }
    },
    of: () => import('../../src/verify.ts'),
    args: () => [situation.body, { ...expected, after: PLACE, now: NOW }],
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
      falseDelivery('leaves out a delivery', 'left_out', ({ show }) => show({ after: 2, events: [third] })),
      falseDelivery('leaves out an event', 'left_out', ({ show }) => show({ events: [third] })),
      falseDelivery('hides a rotation as if it had been deleted', 'left_out', ({ show }) =>
        show({ events: [third], missed: 1 }),
      ),
      falseDelivery('claims fewer rotations than it shows', 'fork', ({ show }) =>
        show({ head: { ...PAGE.head, kinds: { ...PAGE.head.kinds, rotation: 1 } } }),
      ),
      falseDelivery('changes an event', 'fork', ({ show }) => show({ events: [{ ...second, ref: 'other' }, third] })),
      falseDelivery('sends another event again than before', 'fork', ({ show }) => {
        const other = { ...first, ref: 'other' }
        return show({ after: 0, events: [other], head: headOf([other]) })
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
      lie('leaves out an event', ({ show }) => show({ events: [third] }), 'left_out'),
      lie('hides a rotation as if it had been deleted', ({ show }) => show({ events: [third], missed: 1 }), 'left_out'),
      lie('hides every rotation as if it had been deleted', ({ show }) => show({ events: [], missed: 2 }), 'left_out'),
      lie(
        'numbers two rotations alike',
        ({ show }) => {
          const other = { ...third, nth: 1 }
          return show({ events: [second, other], head: { ...PAGE.head, hash: feedEventHash(other) } })
        },
        'fork',
      ),
      lie(
        'claims more rotations than it shows',
        ({ show }) => show({ head: { ...PAGE.head, kinds: { ...PAGE.head.kinds, rotation: 3 } } }),
        'left_out',
      ),
      lie('shows nothing although there is more', ({ show }) => show({ events: [] }), 'left_out'),
      lie(
        'changes an event',
        ({ show }) => show({ events: [{ ...second, kind: 'rotation.cancelled' }, third] }),
        'fork',
      ),
      lie(
        'shows another history than before',
        ({ show }) => {
          const other = { ...second, previousHash: ZERO }
          return show({ events: [other], head: headOf([first, other]) })
        },
        'fork',
      ),
      lie('has fewer events than before', ({ show }) => show({ events: [], head: BEGINNING }), 'rollback'),
      contradiction(
        'takes back an event',
        ({ show }) => show({ events: [second], head: headOf([first, second]) }),
        'rollback',
        2,
      ),
      contradiction(
        'claims fewer rotations than before',
        ({ show }) =>
          show({ events: [second], missed: 1, head: { ...PAGE.head, kinds: { ...PAGE.head.kinds, rotation: 1 } } }),
        'fork',
        3,
      ),
      contradiction(
        'replaces the newest event',
        ({ show }) => {
          const other = { ...third, kind: 'rotation.cancelled' }
          return show({ events: [second, other], head: headOf([first, second, other]) })
        },
        'fork',
        3,
      ),
      contradiction(
        'replaces an event and adds another',
        ({ show }) => {
          const other = { ...third, kind: 'rotation.cancelled' }
          const fourth = { ...third, sequence: 4, nth: 3, previousHash: feedEventHash(other) }
          return show({ events: [second, other, fourth], head: headOf([first, second, other, fourth]) })
        },
        'fork',
        3,
      ),
      contradiction(
        'claims more events than it can show',
        ({ show }) => show({ head: { ...PAGE.head, sequence: 5, hash: ZERO } }),
        'unproved',
        5,
      ),
    ],
  }),
]
