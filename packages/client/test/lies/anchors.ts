import { hashTextHex, toHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import {
  type AnchorList,
  type AnchorRecord,
  anchorIdOf,
  anchorLeafHash,
  type SignedPublication,
} from '@svc/protocol/ledger/anchors'
import { firstKey, rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { ClientOptions } from '../../src/client-options.ts'
import { attestationBy } from '../../src/ledger/attestation.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { changedCheckpoint, contradictions, falseExtensions, LOGS, OTHER_ROOT, UNLISTED } from './checkpoints.ts'
import { data, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

async function anchored(epoch: string, by = alice, realm = REALM): Promise<AnchorRecord> {
  const [root, owner] = [hashTextHex(epoch), alice.did]
  const attestation = await attestationBy(by, (at) => submissionBytes({ owner, root, epoch }, realm, at), NOW)
  const placed = { anchorId: anchorIdOf(owner, root, epoch), root, epoch, hashAlg: 'sha3-384' as const, owner }
  const createdAt = new Date(NOW).toISOString()
  return { ...placed, createdAt, attestations: [attestation], status: 'submitted', position: null }
}

const leafOf = ({ anchorId, root, epoch, hashAlg, createdAt }: AnchorRecord) => ({
  anchorId,
  root,
  epoch,
  hashAlg,
  createdAt,
})

/** An anchor in an open log of three entries, which continues a closed one. */
async function anchors() {
  const [earlier, newest] = [await anchored('1'), await anchored('2')]
  const { second: log, list } = await rolledLog('anchors', [[], [earlier, newest].map(anchorEntry)])
  const record: AnchorRecord = { ...earlier, position: { log: log.log, index: 1 } }
  const leaves = [anchorLeafHash(leafOf(record))]
  const checkpoint = await log.checkpoint()
  const situation = {
    log,
    list,
    record,
    checkpoint,
    proof: (first: number, second: number) => log.consistency(first, second),
    bundle: {
      format: 'svc/anchor-bundle/v1',
      record,
      log: list.statement.logs[1]!,
      proof: log.inclusion(1),
      checkpoint,
    },
    state: {
      window: 1,
      count: 1,
      root: toHex(merkleRoot(leaves)),
      leaves: leaves.map(toHex),
      createdAt: new Date(NOW).toISOString(),
      hashAlg: 'sha3-384',
      anchors: [leafOf(record)],
    },
    page: { items: [record], count: 1, cursor: null } as AnchorList,
    now: NOW,
    args: (): unknown[] => [],
    answers: () => ({
      '/api/logs': data({ list: situation.list, earlier: [] }),
      '/api/anchors/state-proof': situation.state,
      '/api/anchors/checkpoint': situation.checkpoint,
      '/api/anchors/consistency': (query: URLSearchParams) => {
        const [first = 0, second = 0] = ['first', 'second'].map((name) => Number(query.get(name)))
        return { log: log.log, first, second, proof: situation.proof(first, second) }
      },
      '/api/anchors': situation.page,
      [`/api/anchors/${record.anchorId}`]: situation.record,
      [`/api/anchors/${record.anchorId}/bundle`]: situation.bundle,
    }),
  }
  return situation
}
type Anchored = Awaited<ReturnType<typeof anchors>>
const about = (args: (s: Anchored) => unknown[]) => async () => {
  const situation = await anchors()
  return Object.assign(situation, { args: () => args(situation) })
}
const otherAnchor = async () => ({ ...(await anchored('2')), position: null })

const falseBundle = (lie: string, reason: Lie['reason'], tell: Lie<Anchored>['tell']): Lie<Anchored> => ({
  lie,
  reason,
  tell,
  subject: 'anchor',
})

/** The same of an anchor with a place in a log. */
const inBundle = (...[lie, reason, tell, log = LOGS.anchors]: [...Parameters<typeof falseBundle>, log?: string]) => ({
  ...falseBundle(lie, reason, tell),
  where: { log, position: 1 },
})

const falseList = (lie: string, members: Partial<AnchorRecord>): Lie<Anchored> => ({
  lie,
  reason: 'different_answer',
  tell: (s) => {
    s.page.items = [{ ...s.record, ...members }]
  },
  subject: 'anchors',
})

/** An anchor that the publisher has reported. Alice publishes. */
async function reported() {
  const situation = await anchors()
  const { anchorId } = situation.record
  const report = { type: 'svc/anchor-publication/v1', realm: REALM, anchorId, chain: 'base', tx: 'tx-1' } as const
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

export const ANCHORS = [
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
        const { anchorId } = await otherAnchor()
        s.reports = [await signedBy(alice, s.reports[0]!.statement, { anchorId })]
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
    name: 'verifyAnchor',
    honest: async () => {
      const situation = await anchors()
      const trust = { list: situation.list.statement }
      const of = () => import('../../src/verify.ts')
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
  verifying({
    name: 'client.anchors.stateProof',
    honest: about(() => [1]),
    lies: [
      {
        lie: 'names another root',
        tell: ({ state }) => {
          state.root = OTHER_ROOT
        },
        subject: 'anchors',
        reason: 'rewritten',
      },
      {
        lie: 'changes an anchor',
        tell: ({ state }) => {
          state.anchors[0]!.epoch = '7'
        },
        subject: 'anchors',
        reason: 'rewritten',
      },
      {
        lie: 'leaves out an anchor',
        tell: ({ state }) => void state.anchors.pop(),
        subject: 'anchors',
        reason: 'rewritten',
      },
    ],
  }),
  verifying({
    name: 'client.anchors.checkpoint',
    honest: about((s) => [s.log.log]),
    lies: [
      {
        lie: 'changes the checkpoint',
        tell: ({ checkpoint }) => void Object.assign(checkpoint.statement, { size: 2 }),
        subject: 'anchors',
        reason: 'invalid_signature',
        where: { log: LOGS.anchors },
      },
      {
        lie: 'shows a checkpoint for another deployment',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { realm: OTHER_REALM })
        },
        subject: 'anchors',
        reason: 'invalid_signature',
        where: { log: LOGS.anchors },
      },
      {
        lie: 'answers with another log',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { log: UNLISTED })
        },
        subject: 'anchors',
        reason: 'wrong_log',
        where: { log: UNLISTED },
      },
      {
        lie: 'signs with another key than before',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, {}, firstKey)
        },
        subject: 'anchors',
        reason: 'fork',
        where: { position: 3 },
        afterTruth: true,
      },
      ...contradictions<Anchored>('anchors'),
    ],
  }),
  verifying({
    name: 'client.anchors.verifyExtension',
    honest: async () => {
      const situation = await anchors()
      const earlier = await situation.log.checkpoint(2)
      return Object.assign(situation, { args: () => [earlier, situation.checkpoint] })
    },
    lies: falseExtensions<Anchored>('anchors'),
  }),
]
