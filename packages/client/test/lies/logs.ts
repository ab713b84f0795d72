import { hashTextHex, toHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { type AnchorRecord, anchorIdOf, anchorLeafHash } from '@svc/protocol/ledger/anchors'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import {
  type FixtureLog,
  firstKey,
  keysOf,
  listSigners,
  nextList,
  nextListSigners,
  rolledLog,
  signedList,
  VALID_UNTIL,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { attestationBy } from '../../src/ledger/attestation.ts'
import { TrustedLogs } from '../../src/logs/trusted-logs.ts'
import { Transport } from '../../src/transport/transport.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, fetchIn, type Lie, NOW, OTHER_REALM, type Situation, verifying } from './situation.ts'

const HOUR = 3_600_000
const OTHER_ROOT = 'a7'.repeat(48)

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

export interface Shown extends Situation {
  readonly log: FixtureLog
  checkpoint: LogCheckpoint
  proof: (first: number, second: number) => string[]
  now: number
}
/** The log did not sign this time. */
export const changedCheckpoint = (signed: LogCheckpoint) =>
  ({ ...signed, statement: { ...signed.statement, issuedAt: NOW + 1 } }) as LogCheckpoint
type LogSubject = 'anchors' | 'transparency'
/** What a log can show instead of what it showed before. */
export const contradictions = <S extends Shown>(subject: LogSubject): readonly Lie<S>[] => [
  {
    lie: 'shows a shorter log than before',
    tell: async (s) => {
      s.now += HOUR
      s.checkpoint = await s.log.checkpoint(1)
    },
    subject,
    reason: 'rollback',
    afterTruth: true,
  },
  {
    lie: 'shows another log of the same length than before',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(s.log.lines.length, { root: OTHER_ROOT })
    },
    subject,
    reason: 'fork',
    afterTruth: true,
  },
  {
    lie: 'shows a longer log that does not contain the one before',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(9, { root: OTHER_ROOT })
    },
    subject,
    reason: 'fork',
    afterTruth: true,
  },
]
/** What keeps a later checkpoint from extending an earlier one. */
export const falseExtensions = <S extends Shown>(subject: LogSubject): readonly Lie<S>[] => [
  {
    lie: 'shows a wrong consistency proof',
    tell: (s) => {
      s.proof = () => [OTHER_ROOT]
    },
    subject,
    reason: 'inconsistent',
  },
  {
    lie: 'shows a later log with other entries',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(s.log.lines.length, { root: OTHER_ROOT })
    },
    subject,
    reason: 'inconsistent',
  },
  {
    lie: 'shows a later log that is shorter',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(1)
    },
    subject,
    reason: 'inconsistent',
  },
]

const falseBundle = (lie: string, reason: Lie['reason'], tell: Lie<Anchored>['tell']): Lie<Anchored> => ({
  lie,
  reason,
  tell,
  subject: 'anchor',
})

export const ANCHORS = [
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
      falseBundle('names another owner', 'wrong_owner', ({ bundle }) => {
        bundle.record = { ...bundle.record, owner: mallory.did }
      }),
      falseBundle('shows another attestation than was logged', 'not_included', async ({ bundle }) => {
        bundle.record = { ...bundle.record, ...(await anchored('1', mallory)), position: bundle.record.position }
      }),
      falseBundle('shows an anchor for another deployment', 'invalid_attestation', async ({ bundle }) => {
        const other = await anchored('1', alice, OTHER_REALM)
        bundle.record = { ...bundle.record, ...other, position: bundle.record.position }
      }),
      falseBundle('shows the audit path of another entry', 'not_included', (s) => {
        s.bundle.proof = s.log.inclusion(2)
      }),
      falseBundle('changes the checkpoint', 'invalid_signature', ({ bundle }) => {
        bundle.checkpoint = changedCheckpoint(bundle.checkpoint)
      }),
      falseBundle('shows a checkpoint signed with another key', 'wrong_log', async (s) => {
        s.bundle.checkpoint = await s.log.checkpoint(3, {}, firstKey)
      }),
      falseBundle('shows a checkpoint of a log that is not listed', 'unlisted_log', async (s) => {
        const log = `${REALM}/anchors/2099z`
        s.bundle.checkpoint = await s.log.checkpoint(3, { log })
        s.bundle.record = { ...s.bundle.record, position: { log, index: 1 } }
      }),
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
      },
      {
        lie: 'shows a checkpoint for another deployment',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { realm: OTHER_REALM })
        },
        subject: 'anchors',
        reason: 'invalid_signature',
      },
      {
        lie: 'answers with another log',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { log: `${REALM}/anchors/2099z` })
        },
        subject: 'anchors',
        reason: 'wrong_log',
        where: { log: `${REALM}/anchors/2099z` },
      },
      {
        lie: 'signs with another key than before',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, {}, firstKey)
        },
        subject: 'anchors',
        reason: 'fork',
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

/** The list of logs, asked by a client that pins its keys. */
async function listed() {
  const { second: log, list } = await rolledLog('anchors', [[], []])
  const situation = {
    log,
    shown: list,
    known: undefined as SignedLogList | undefined,
    checkpoint: await log.checkpoint(),
    now: NOW,
    args: (): unknown[] => [],
    answers: () => ({ '/api/logs': data({ list: situation.shown, earlier: [] }) }),
    of: () => {
      const transport = new Transport({ realm: REALM, fetch: fetchIn(situation), now: () => situation.now })
      const trust = { listKeys: keysOf(listSigners), list: situation.known }
      return new TrustedLogs(transport, 'https://core.test/api/logs', trust)
    },
  }
  return situation
}
type Listed = Awaited<ReturnType<typeof listed>>
const falseList = (lie: string, reason: Lie['reason'], tell: Lie<Listed>['tell']): Lie<Listed> => ({
  lie,
  reason,
  tell,
  subject: 'logs',
})
const falseLists = [
  falseList('signs the list with other keys', 'threshold_not_met', async (s) => {
    s.shown = await signedList(s.shown.statement, nextListSigners)
  }),
  falseList('signs the list with too few keys', 'threshold_not_met', async (s) => {
    s.shown = await signedList(s.shown.statement, listSigners.slice(0, 1))
  }),
  falseList('shows a list for another deployment', 'wrong_realm', async (s) => {
    s.shown = await signedList({ ...s.shown.statement, realm: OTHER_REALM })
  }),
  falseList('shows a list whose time is over', 'list_expired', (s) => {
    s.now = VALID_UNTIL + 1
  }),
  falseList('shows an older list than before', 'list_rolled_back', async (s) => {
    s.known = await nextList(s.shown)
  }),
  falseList('shows a list that does not follow the one before', 'not_successor', async (s) => {
    s.known = s.shown
    s.shown = await nextList(s.shown, { previous: OTHER_ROOT })
  }),
]

export const TRUSTED_LOGS = [
  verifying({ name: 'TrustedLogs.newest', honest: listed, lies: falseLists }),
  verifying({
    name: 'TrustedLogs.verify',
    honest: async () => {
      const situation = await listed()
      return Object.assign(situation, { args: () => [situation.checkpoint] })
    },
    lies: [
      ...falseLists.slice(0, 1),
      {
        lie: 'changes the checkpoint',
        tell: ({ checkpoint }) => void Object.assign(checkpoint.statement, { issuedAt: NOW + 1 }),
        subject: 'anchors',
        reason: 'invalid_signature',
      },
      {
        lie: 'signs the checkpoint with another key',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(1, {}, firstKey)
        },
        subject: 'anchors',
        reason: 'wrong_log',
      },
      {
        lie: 'shows a checkpoint of a log that is not listed',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(1, { log: `${REALM}/anchors/2099z` })
        },
        subject: 'anchors',
        reason: 'unlisted_log',
      },
    ],
  }),
]
