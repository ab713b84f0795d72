import { firstKey, keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALMS } from '../../realm.ts'
import { alice, heirOfAlice, mallory } from '../../sides.ts'
import { changedCheckpoint, UNLISTED } from '../checkpoints.ts'
import { NOW, OTHER_REALM, verifying } from '../situation.ts'
import { about, anchored, anchors, falseBundle, inBundle, otherAnchor } from './anchored.ts'

export const ANCHOR_BUNDLES = [
  verifying({
    name: 'client.anchors.bundle',
    honest: about((s) => [s.record.anchorId]),
    lies: [
      falseBundle('answers with the bundle of another anchor', 'different_answer', async (s) => {
        s.bundle.record = await otherAnchor()
      }),
    ],
  }),
  verifying({
    name: 'client.anchors.verify',
    honest: async () => {
      const situation = await anchors()
      const options = { logListKeys: keysOf(listSigners) }
      return Object.assign(situation, { options, args: () => [situation.record.anchorId] })
    },
    lies: [
      falseBundle('answers with the bundle of another anchor', 'different_answer', async (s) => {
        s.bundle.record = await otherAnchor()
      }),
      inBundle('shows the audit path of another entry', 'not_included', (s) => {
        s.bundle.proof = s.log.inclusion(2)
      }),
      {
        lie: 'took the anchor after its key had been replaced',
        tell: async (s) => {
          const [first, heir] = (await heirOfAlice()).keys
          s.history.keys = [first, { ...heir, activatedAt: NOW - 1 }]
        },
        subject: 'anchor',
        reason: 'not_entitled',
      },
    ],
  }),
  verifying({
    name: 'verifyAnchor',
    honest: async () => {
      const situation = await anchors()
      const trust = { list: situation.list.statement }
      const of = () => import('../../../src/verify.ts')
      return Object.assign(situation, { of, args: () => [situation.bundle, trust, REALMS] })
    },
    lies: [
      falseBundle('shows an anchor that is not in the log yet', 'not_in_log', ({ bundle }) => {
        bundle.record = { ...bundle.record, position: null }
      }),
      inBundle('names another owner', 'wrong_owner', ({ bundle }) => {
        bundle.record = { ...bundle.record, owner: mallory.did }
      }),
      inBundle('shows another attestation than was logged', 'not_included', async ({ bundle }) => {
        bundle.record = { ...bundle.record, ...(await anchored('1', mallory)), position: bundle.record.position }
      }),
      inBundle('shows an anchor for another deployment', 'invalid_attestation', async ({ bundle }) => {
        const other = await anchored('1', alice, OTHER_REALM)
        bundle.record = { ...bundle.record, ...other, position: bundle.record.position }
      }),
      inBundle('shows the audit path of another entry', 'not_included', (s) => {
        s.bundle.proof = s.log.inclusion(2)
      }),
      inBundle('changes the checkpoint', 'invalid_signature', ({ bundle }) => {
        bundle.checkpoint = changedCheckpoint(bundle.checkpoint)
      }),
      inBundle('shows a checkpoint signed with another key', 'wrong_log', async (s) => {
        s.bundle.checkpoint = await s.log.checkpoint(3, {}, firstKey)
      }),
      inBundle(
        'shows a checkpoint of a log that is not listed',
        'unlisted_log',
        async (s) => {
          s.bundle.checkpoint = await s.log.checkpoint(3, { log: UNLISTED })
          s.bundle.record = { ...s.bundle.record, position: { log: UNLISTED, index: 1 } }
        },
        UNLISTED,
      ),
    ],
  }),
]
