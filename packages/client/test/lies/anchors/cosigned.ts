/** What witnesses cosigned of the log of anchors, and a service that shows it falsely. */
import { signerOf } from '@svc/protocol/chain/chain.fixture'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import type { CosignedState } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { bundledIn, firstOf, type SeenAt, seenIn } from '@svc/protocol/ledger/bundle/cosigned-states.fixture'
import type { Seen } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import { fixtureLog, keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALMS } from '../../realm.ts'
import { LOGS, OTHER_ROOT, UNLISTED } from '../checkpoints.ts'
import { type Lie, NOW, OTHER_REALM, type Situation, verifying } from '../situation.ts'
import { type Anchored, anchored, anchors, falseBundle, inBundle, otherAnchor } from './anchored.ts'

const [witness, colleague] = await Promise.all([signerOf(71), signerOf(72)])
const witnesses = { threshold: 1, publicKeysB64u: [witness.ownerPublicKey] }
const at = (members: Partial<SeenAt> = {}): SeenAt => ({ by: witness, index: 1, size: 2, issuedAt: NOW, ...members })

/** Cosigned by one witness when the log had two of its three entries. */
export async function cosigned(): Promise<Anchored> {
  const situation = await anchors()
  situation.options = { logListKeys: keysOf(listSigners), witnesses }
  situation.seen.cosigned = [await seenIn(situation.log, at())]
  await bundle(situation, {})
  return situation
}
async function bundle(s: Anchored, ...all: readonly Partial<SeenAt>[]): Promise<void> {
  const states = await Promise.all(all.map((members) => bundledIn(s.log, at(members), 3)))
  const [first] = states
  Object.assign(s.bundle, { first: first ? firstOf(first) : null, cosigned: states })
}
const asked = (args: (s: Anchored) => unknown[], of?: Situation['of']) => async () => {
  const situation = await cosigned()
  const given = args(situation)
  return Object.assign(situation, { args: () => given, ...(of && { of }) })
}
const earlier = <S extends Seen | CosignedState>(one: S): S => ({
  ...one,
  cosignature: { ...one.cosignature, statement: { ...one.cosignature.statement, issuedAt: NOW - 1 } },
})

type Told = readonly [lie: string, reason: Lie['reason'], members: Partial<SeenAt>]
const FALSE_STATES: readonly Told[] = [
  ['shows a cosignature for another deployment', 'invalid_signature', { realm: OTHER_REALM }],
  ['shows a cosignature of another log', 'wrong_log', { log: UNLISTED }],
  ['shows a state from before the anchor as the first one with it', 'not_included', { size: 1 }],
  ['shows a root that the witness did not cosign', 'not_included', { root: OTHER_ROOT }],
]
/** In a bundle, whatever reads it. */
const FALSE_BUNDLES = [
  inBundle('dates a cosignature earlier than the witness did', 'invalid_signature', (s) => {
    s.bundle.cosigned = s.bundle.cosigned.map(earlier)
  }),
  ...FALSE_STATES.map(([lie, reason, members]) => inBundle(lie, reason, (s) => bundle(s, members))),
  inBundle('shows a consistency proof to another state', 'inconsistent', (s) => {
    s.bundle.cosigned = s.bundle.cosigned.map((one) => ({ ...one, consistency: s.log.consistency(1, 3) }))
  }),
  inBundle(
    'shows a later cosignature as the first, although that of the log covers the anchor',
    'not_first',
    async (s) => {
      const { first } = s.bundle
      await bundle(s, { size: 3 })
      s.bundle.first = first
    },
  ),
  inBundle('shows two cosignatures of one witness', 'not_first', (s) => bundle(s, {}, { size: 3 })),
  inBundle('leaves out the first cosignature of the log', 'not_first', (s) => {
    s.bundle.first = null
  }),
  inBundle('shows a later cosignature as the first of the log', 'not_first', async (s) => {
    await bundle(s, { by: colleague, size: 3 }, {})
  }),
]

export const COSIGNED_ANCHORS = [
  verifying({
    name: 'client.anchors.cosigned',
    honest: asked((s) => [s.record.anchorId]),
    lies: [
      falseBundle('answers with another anchor', 'different_answer', async (s) => {
        s.seen.anchorId = (await otherAnchor()).anchorId
      }),
      inBundle('dates a cosignature earlier than the witness did', 'invalid_signature', (s) => {
        s.seen.cosigned = s.seen.cosigned.map(earlier)
      }),
      ...FALSE_STATES.map(([lie, reason, members]) =>
        inBundle(lie, reason, async (s) => {
          s.seen.cosigned = [await seenIn(s.log, at(members))]
        }),
      ),
    ],
  }),
  verifying({
    name: 'verifyAnchor',
    given: 'of a bundle with cosignatures',
    honest: asked(
      (s) => [s.bundle, { list: s.list.statement }, REALMS],
      () => import('../../../src/verify.ts'),
    ),
    lies: FALSE_BUNDLES,
  }),
  verifying({
    name: 'client.anchors.upgrade',
    honest: asked((s) => [structuredClone(s.bundle)]),
    lies: [
      falseBundle('answers with the bundle of another anchor', 'different_answer', async (s) => {
        s.bundle.record = await otherAnchor()
      }),
      falseBundle('shows the anchor at another position', 'different_answer', async (s) => {
        const record = {
          ...s.record,
          ...(await anchored('1')),
          salt: 'Q'.repeat(22),
          position: { log: s.log.log, index: 3 },
        }
        const longer = fixtureLog('anchors', s.log.log, s.log.key, [...s.log.lines, anchorEntry(record)])
        const [proof, checkpoint] = [longer.inclusion(3), await longer.checkpoint()]
        Object.assign(s.bundle, { record, proof, checkpoint, first: null, cosigned: [] })
      }),
      {
        lie: 'shows another history than the bundle has',
        tell: async (s: Anchored) => {
          const other = fixtureLog('anchors', s.log.log, s.log.key, [...s.log.lines.slice(0, 2), 'x', 'y'])
          s.proof = other.consistency
          const [proof, checkpoint] = [other.inclusion(1), await other.checkpoint()]
          Object.assign(s.bundle, { proof, checkpoint, first: null, cosigned: [] })
        },
        subject: 'anchors',
        reason: 'inconsistent',
        where: { log: LOGS.anchors, position: 4 },
      },
      ...FALSE_BUNDLES,
    ],
  }),
]
