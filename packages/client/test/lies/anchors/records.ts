import { anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import type { AnchorRecord, SignedPublication } from '@svc/protocol/ledger/anchors'
import type { ClientOptions } from '../../../src/client-options.ts'
import { REALM } from '../../realm.ts'
import { alice, mallory } from '../../sides.ts'
import { OTHER_ROOT } from '../checkpoints.ts'
import { type Lie, NOW, signedBy, verifying } from '../situation.ts'
import { type Anchored, about, anchors, falseBundle, otherAnchor } from './anchored.ts'

const falseList = (lie: string, members: Partial<AnchorRecord>): Lie<Anchored> => ({
  lie,
  reason: 'different_answer',
  tell: (s) => {
    s.page.items = [{ ...s.record, ...members }]
  },
  subject: 'anchors',
})

/** An anchor that the publisher has reported. Alice publishes. */
export async function reported() {
  const situation = await anchors()
  const { anchorId } = situation.record
  const leaf = anchorLeafOf(situation.record)
  const report = { type: 'svc/anchor-publication/v2', realm: REALM, leaf, chain: 'base', tx: 'tx-1' } as const
  const statement = { ...report, state: 'published', nonce: 'A'.repeat(22), issuedAt: NOW } as const
  const told = {
    ...situation,
    reports: [(await signedBy(alice, statement)) as SignedPublication],
    options: { publisherKeyB64u: alice.publicKeyB64u } as Partial<ClientOptions>,
    answers: () => ({
      ...situation.answers(),
      [`/api/anchors/${anchorId}/publications`]: { anchorId, publications: told.reports },
    }),
  }
  return told
}
const falseReport = (
  lie: string,
  reason: Lie['reason'],
  tell: Lie<Awaited<ReturnType<typeof reported>>>['tell'],
): Lie<Awaited<ReturnType<typeof reported>>> => ({ lie, reason, tell, subject: 'anchor' })

/** Anchors as the service has them, and what the publisher reported of them. */
export const ANCHOR_RECORDS = [
  verifying({
    name: 'client.anchors.page',
    honest: about(() => [{ owner: alice.did, status: 'submitted' }]),
    lies: [
      falseList('lists an anchor of another owner', { owner: mallory.did }),
      falseList('lists an anchor with another status', { status: 'confirmed' }),
    ],
  }),
  verifying({
    name: 'client.anchors.read',
    honest: about((s) => [s.bundle.record.anchorId]),
    lies: [
      falseBundle('answers with another anchor', 'different_answer', async (s) => {
        s.record = await otherAnchor()
      }),
      falseBundle('names another owner', 'different_answer', (s) => {
        s.record = { ...s.record, owner: mallory.did }
      }),
      falseBundle('names another root', 'different_answer', (s) => {
        s.record = { ...s.record, root: OTHER_ROOT }
      }),
    ],
  }),
  verifying({
    name: 'client.anchors.publications',
    honest: async () => {
      const situation = await reported()
      return Object.assign(situation, { args: () => [situation.record.anchorId] })
    },
    lies: [
      falseReport('answers with the reports of another anchor', 'different_answer', async (s) => {
        const leaf = anchorLeafOf(await otherAnchor())
        s.reports = [await signedBy(alice, s.reports[0]!.statement, { leaf })]
      }),
      {
        ...falseReport('changes the transaction in a report', 'invalid_signature', (s) => {
          const [report] = s.reports
          s.reports = [{ ...report!, statement: { ...report!.statement, tx: 'another' } }]
        }),
        where: { member: 'publications' },
      },
      {
        ...falseReport('answers with a report that another key signed', 'invalid_signature', async (s) => {
          s.reports = [await signedBy(mallory, s.reports[0]!.statement)]
        }),
        where: { member: 'publications' },
      },
    ],
  }),
]
