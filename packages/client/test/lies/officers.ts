/** The officers of an organization. */
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { statementHash } from '@svc/protocol/base/statement'
import type { InceptOrg, RotateOfficers } from '@svc/protocol/devices/inception'
import { Client } from '../../src/client.ts'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { keyAnswers, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

type Declared = InceptOrg['statement'] | RotateOfficers['statement']

const inceptionHead = (sequence: number) => ({ sequence, hash: 'a7'.repeat(48) })

/** What Mallory accepts as an officer, naming an event of her own log. */
async function acceptedBy(statement: Declared, inception: InceptionHead | null) {
  const acceptance = {
    type: 'svc/officer-acceptance/v1' as const,
    realm: REALM,
    orgDid: alice.did,
    orgScope: alice.scope,
    officerDid: mallory.did,
    rosterHash: statementHash(statement),
    inception,
    issuedAt: NOW,
  }
  return { ...(await signedBy(mallory, acceptance)), publicKeyB64u: mallory.publicKeyB64u }
}

const organizationOfAlice = () =>
  new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice, now: () => NOW }).organization

/** An organization whose one officer accepted and names this event. */
async function begun(inception: InceptionHead | null) {
  const statement = await organizationOfAlice().makeInception([mallory.did], 1, inceptionHead(0))
  const event: InceptOrg = {
    ...(await signedBy(alice, statement)),
    acceptances: [await acceptedBy(statement, inception)],
  }
  return {
    orgDid: alice.did,
    version: 1,
    officers: [mallory.did],
    quorum: 1,
    since: NOW,
    until: null as number | null,
    event: event as InceptOrg | RotateOfficers,
  }
}

/** The same officer, who accepts the next roster too. */
async function changed(inception: InceptionHead | null) {
  const statement = await organizationOfAlice().makeRotation([mallory.did], 1, 2, inceptionHead(1))
  const { signatureB64u } = await signedBy(mallory, statement)
  const event: RotateOfficers = {
    ...(await signedBy(alice, statement)),
    approvals: [{ officerDid: mallory.did, publicKeyB64u: mallory.publicKeyB64u, signatureB64u }],
    acceptances: [await acceptedBy(statement, inception)],
  }
  return { ...(await begun(null)), version: 2, event }
}

/** The officers of an organization: one, who accepted. */
async function officers() {
  const answer = await begun(null)
  return {
    answer,
    args: () => [alice.did, { at: NOW }],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      [`/1.0/org/${encodeURIComponent(alice.did)}/officers`]: answer,
    }),
  }
}

/** The officer of an organization has accepted twice. */
async function changedOfficers() {
  const rosters = [await begun(inceptionHead(2)), await changed(inceptionHead(2))]
  return {
    rosters,
    args: () => [alice.did],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      [`/1.0/org/${encodeURIComponent(alice.did)}/officers`]: (query: URLSearchParams) =>
        rosters[Number(query.get('version') ?? 2) - 1],
    }),
  }
}
type Officers = Awaited<ReturnType<typeof officers>>
const reinstated = async (s: Officers, changes: object, by = alice) => {
  Object.assign(s.answer.event, await signedBy(by, s.answer.event.statement, changes))
}
const officerLies: readonly Lie<Officers>[] = [
  {
    lie: 'answers for another organization',
    tell: ({ answer }) => {
      answer.orgDid = mallory.did
    },
    subject: 'roster',
    reason: 'wrong_identity',
  },
  {
    lie: 'answers with the officers of another time',
    tell: ({ answer }) => {
      answer.until = NOW - 1
    },
    subject: 'roster',
    reason: 'different_answer',
  },
  {
    lie: 'names officers who are not in the signed roster',
    tell: ({ answer }) => {
      answer.officers = [alice.did]
    },
    subject: 'roster',
    reason: 'mismatch',
    where: { version: 1 },
  },
  {
    lie: 'shows a roster signed by another key',
    tell: (s) => reinstated(s, {}, mallory),
    subject: 'roster',
    reason: 'invalid_signature',
    where: { version: 1 },
  },
  {
    lie: 'shows a roster for another deployment',
    tell: (s) => reinstated(s, { realm: OTHER_REALM }),
    subject: 'roster',
    reason: 'invalid_signature',
    where: { version: 1 },
  },
  {
    lie: 'shows a roster that an officer did not accept',
    tell: ({ answer }) => void Object.assign(answer.event, { acceptances: [] }),
    subject: 'roster',
    reason: 'acceptance_missing',
    where: { version: 1 },
  },
  {
    lie: 'shows an acceptance signed by another key',
    tell: async ({ answer }) => {
      const [acceptance] = answer.event.acceptances
      const signed = await signedBy(alice, acceptance!.statement)
      Object.assign(answer.event, { acceptances: [{ ...signed, publicKeyB64u: alice.publicKeyB64u }] })
    },
    subject: 'roster',
    reason: 'wrong_key',
  },
]

export const OFFICERS = [
  verifying({ name: 'client.membership.officers', honest: officers, lies: officerLies }),
  verifying({
    name: 'client.membership.officers',
    given: 'with a second roster',
    honest: changedOfficers,
    lies: [
      {
        lie: 'shows an acceptance that names an older event than the one before',
        tell: async ({ rosters }) => {
          rosters[1] = await changed(inceptionHead(1))
        },
        subject: 'roster',
        reason: 'older_head',
        where: { version: 2 },
      },
    ],
  }),
]
