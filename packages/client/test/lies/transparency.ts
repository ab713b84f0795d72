import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, foldHead, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import {
  type FixtureLog,
  firstKey,
  keysOf,
  listSigners,
  nextListSigners,
  rolledLog,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { LogAuditor } from '../../src/keys/log-auditor.ts'
import { Transport } from '../../src/transport/transport.ts'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { changedCheckpoint, contradictions, falseExtensions, LOGS } from './checkpoints.ts'
import { deviceOf, LABEL, published } from './published.ts'
import { data, fetchIn, type Lie, NOW, OTHER_REALM, type Situation, signedBy, verifying } from './situation.ts'

const HASH = 'a7'.repeat(48)
const FIRST_LOG = `${REALM}/transparency/2027a`
const OTHER_LOG = `${REALM}/transparency/2099z`
const BASE = '/api/transparency'

async function cosigned(checkpoint: LogCheckpoint, realm = REALM) {
  const { log, size, root } = checkpoint.statement
  const { userId: witness, publicKeyB64u } = mallory
  const statement = { type: 'svc/transparency-cosignature/v1', realm, log, size, root, witness, verifies: 'log' }
  return { ...(await signedBy(mallory, { ...statement, issuedAt: NOW })), publicKeyB64u }
}

/** The log of a directory that has published one package, and what it says of the account. */
async function directory() {
  const found = await published(await deviceOf(3))
  const hash = statementHash(found.credential.statement)
  const line = updateLine({ label: LABEL, seq: 1, statementHash: hash })
  const { first: closed, second: log, list } = await rolledLog('transparency', [[], [line, '{"kind":"other"}']])
  const checkpoint = await log.checkpoint()
  const account = { label: LABEL, ...foldHead(EMPTY_HEAD, [hash]) }
  const situation = {
    log,
    closed,
    list,
    checkpoint,
    found,
    cosignature: await cosigned(checkpoint),
    account,
    hashes: [hash],
    inclusion: {
      leafId: found.leafId,
      seq: 1,
      position: { log: log.log, index: 1 },
      proof: log.inclusion(1),
      checkpoint,
    },
    proof: (first: number, second: number) => log.consistency(first, second),
    now: NOW,
    options: { keys: 'https://keys.test', logListKeys: keysOf(listSigners) },
    args: (): unknown[] => [],
    answers: () => {
      const { checkpoint: shown } = situation
      const consistency = (first: number, second: number) =>
        data({ log: log.log, first, second, proof: situation.proof(first, second), checkpoint: shown })
      const whole = { result: 'present', terminal: null, bitmap: null, siblingsB64u: null, map: null }
      return {
        [`${BASE}/logs`]: data({ list: situation.list, earlier: [] }),
        [`${BASE}/checkpoint`]: data({ checkpoint: shown, cosignatures: [situation.cosignature] }),
        [`${BASE}/proof/${found.leafId}`]: data(situation.inclusion),
        [`${BASE}/proof/${alice.did}`]: data({ ...situation.account, ...whole, checkpoint: shown }),
        [`${BASE}/audit/${alice.did}`]: data({
          ...situation.account,
          since: 0,
          statementHashes: situation.hashes,
          checkpoint: shown,
        }),
        [`${BASE}/audit/2-3`]: consistency(2, 3),
        [`${BASE}/audit/1-3`]: consistency(1, 3),
        [`${BASE}/audit/3-9`]: consistency(3, 9),
      }
    },
  }
  return situation
}
type Directory = Awaited<ReturnType<typeof directory>>
const about = (args: (s: Directory) => unknown[]) => async () => {
  const situation = await directory()
  return Object.assign(situation, { args: () => args(situation) })
}
const lieOf =
  (subject: Lie['subject'], where: Lie['where'] = {}) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Directory>['tell']): Lie<Directory> => ({
    lie,
    reason,
    tell,
    subject,
    where,
  })
const { transparency: LOG } = LOGS
const inLog = lieOf('transparency', { log: LOG })
const atLeaf = lieOf('transparency', { log: LOG, position: 1 })
const inUnlisted = lieOf('transparency', { log: OTHER_LOG })
const inCosignature = lieOf('transparency', { member: 'cosignatures' })
const ofAccount = lieOf('account')

/** What no method takes that reads a checkpoint. */
const falseCheckpoints: readonly Lie<Directory>[] = [
  inLog('changes the checkpoint', 'invalid_signature', (s) => {
    s.checkpoint = changedCheckpoint(s.checkpoint)
  }),
  inLog('shows a checkpoint for another deployment', 'invalid_signature', async (s) => {
    s.checkpoint = await s.log.checkpoint(3, { realm: OTHER_REALM })
  }),
  inLog('signs the checkpoint with a key that the list does not name', 'wrong_log', async (s) => {
    s.checkpoint = await s.log.checkpoint(3, {}, firstKey)
  }),
  inUnlisted('shows a checkpoint of a log that is not listed', 'unlisted_log', async (s) => {
    s.checkpoint = await s.log.checkpoint(3, { log: OTHER_LOG })
  }),
  {
    lie: 'signs the list of logs with other keys',
    tell: async (s) => {
      s.list = await signedList(s.list.statement, nextListSigners)
    },
    subject: 'logs',
    reason: 'threshold_not_met',
  },
]
const falseInclusions = [
  atLeaf('shows the audit path of another entry', 'not_included', (s) => {
    s.inclusion.proof = s.log.inclusion(2)
  }),
  atLeaf('answers for another leaf', 'not_included', (s) => {
    s.inclusion.leafId = leafIdOf(LABEL, HASH)
  }),
  atLeaf('names another number of the update', 'not_included', (s) => {
    s.inclusion.seq = 2
  }),
  inLog('changes the checkpoint', 'invalid_signature', (s) => {
    s.inclusion.checkpoint = changedCheckpoint(s.inclusion.checkpoint)
  }),
]

export const TRANSPARENCY = [
  verifying({
    name: 'client.transparency.checkpoint',
    honest: directory,
    lies: [...falseCheckpoints, ...contradictions<Directory>('transparency')],
  }),
  verifying({
    name: 'client.transparency.checkpoint',
    given: 'with a log',
    honest: about((s) => [s.log.log]),
    lies: [
      lieOf('transparency', { log: FIRST_LOG })('answers with another listed log', 'wrong_log', async (s) => {
        s.checkpoint = await s.closed.checkpoint()
      }),
      ...falseCheckpoints,
      ...contradictions<Directory>('transparency'),
    ],
  }),
  verifying({
    name: 'client.transparency.cosigned',
    honest: directory,
    lies: [
      ...falseCheckpoints,
      ...contradictions<Directory>('transparency'),
      inCosignature('changes a cosignature', 'invalid_signature', (s) => {
        Object.assign(s.cosignature.statement, { size: 2 })
      }),
      inCosignature('shows a cosignature for another deployment', 'invalid_signature', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, OTHER_REALM)
      }),
    ],
  }),
  verifying({
    name: 'client.transparency.verifyExtension',
    honest: async () => {
      const situation = await directory()
      const earlier = await situation.log.checkpoint(2)
      return Object.assign(situation, { args: () => [earlier, situation.checkpoint] })
    },
    lies: falseExtensions<Directory>('transparency'),
  }),
  verifying({ name: 'client.transparency.prove', honest: about((s) => [s.found]), lies: falseInclusions }),
  verifying({ name: 'client.transparency.waitFor', honest: about((s) => [s.found]), lies: falseInclusions }),
  verifying({
    name: 'client.transparency.account',
    honest: about(() => [alice.did]),
    lies: [
      ofAccount('answers for another account', 'different_answer', (s) => {
        s.account.label = 'b7'.repeat(32)
      }),
      ofAccount('says that there is nothing, and names a head', 'different_answer', (s) => {
        s.account.seq = 0
      }),
      ...falseCheckpoints,
    ],
  }),
  verifying({
    name: 'client.transparency.follow',
    honest: about(() => [alice.did]),
    lies: [
      ofAccount('answers for another account', 'inconsistent', (s) => {
        s.account.label = 'b7'.repeat(32)
      }),
      ofAccount('leaves out an update', 'inconsistent', (s) => void s.hashes.pop()),
      ofAccount('changes an update', 'inconsistent', (s) => {
        s.hashes[0] = HASH
      }),
      ...falseCheckpoints,
    ],
  }),
]

const updates = [1, 2, 3].map((seq) => ({ label: LABEL, seq, statementHash: `${seq}`.repeat(96) }))
const lines = updates.map(updateLine) as [string, string, string]

/** A log of two periods, as an auditor reads it. */
async function audited(entries: readonly [readonly string[], readonly string[]] = [[lines[0], lines[1]], [lines[2]]]) {
  const { first, second, list } = await rolledLog('transparency', entries)
  const leaf = updates[0]!
  const leafId = leafIdOf(leaf.label, leaf.statementHash)
  const checkpoint = await second.checkpoint()
  const found = {
    leafId,
    seq: 1,
    position: { log: first.log, index: 1 },
    proof: first.inclusion(1),
    checkpoint: await first.checkpoint(),
  }
  const situation = {
    logs: [first, second] as FixtureLog[],
    list: list,
    checkpoint,
    found: found as typeof found | null,
    from: null as unknown,
    hide: 0,
    proof: (a: number, b: number) => situation.logs[1]!.consistency(a, b),
    args: (): unknown[] => [situation.from],
    of: () => auditorIn(situation),
    answers: () => ({
      [`${BASE}/logs`]: data({ list: situation.list, earlier: [] }),
      [`${BASE}/checkpoint`]: data({ checkpoint: situation.checkpoint, cosignatures: [] }),
      [`${BASE}/entries/0`]: (query: URLSearchParams) => {
        const log = situation.logs.find((one) => one.log === query.get('log')) ?? situation.logs[1]!
        const shown = log.lines.slice(0, log.lines.length - situation.hide)
        return data({ log: log.log, from: 0, entries: shown, size: shown.length })
      },
      ...(situation.found ? { [`${BASE}/proof/${leafId}`]: data(situation.found) } : {}),
    }),
  }
  return situation
}
type Audited = Awaited<ReturnType<typeof audited>>

function auditorIn(situation: Situation): LogAuditor {
  const transport = new Transport({ realm: REALM, fetch: fetchIn(situation), now: () => NOW + 1_000 })
  return new LogAuditor(transport, 'https://keys.test', keysOf(listSigners))
}
/** The auditor was here before. */
const visited = async (s: Audited) => {
  const { state } = await auditorIn(s).follow(null)
  s.from = state
}
/** Other entries, which the service signs. */
const become = async (s: Audited, other: Audited) => {
  Object.assign(s, { logs: other.logs, list: other.list, checkpoint: other.checkpoint })
}
const auditLie =
  (where: Lie['where'] = {}) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Audited>['tell']): Lie<Audited> => ({
    lie,
    reason,
    tell,
    subject: 'transparency',
    where,
  })
const inAudit = auditLie({ log: LOG })
const atAudit = (log: string, position: number) => auditLie({ log, position })
const otherKeys: Lie<Audited> = {
  lie: 'signs the list of logs with other keys',
  tell: async (s) => {
    s.list = await signedList(s.list.statement, nextListSigners)
  },
  subject: 'logs',
  reason: 'threshold_not_met',
}

export const AUDITOR = [
  verifying({
    name: 'LogAuditor.follow',
    honest: () => audited(),
    lies: [
      otherKeys,
      atAudit(LOG, 2)('changes an entry', 'rewritten', (s) => {
        const [, log] = s.logs
        s.logs[1] = { ...log!, lines: [log!.lines[0]!, lines[1]] }
      }),
      atAudit(FIRST_LOG, 3)('does not show an entry', 'missing_leaf', (s) => {
        s.hide = 1
      }),
      inAudit('logs an update twice', 'repeated_leaf', async (s) =>
        become(s, await audited([[lines[0], lines[0]], []])),
      ),
      inAudit('logs updates of an account out of order', 'out_of_order', async (s) =>
        become(s, await audited([[lines[0], lines[2]], []])),
      ),
      inAudit('changes the checkpoint', 'invalid_signature', (s) => {
        s.checkpoint = changedCheckpoint(s.checkpoint)
      }),
      inAudit('signs the checkpoint with another key', 'wrong_log', async (s) => {
        s.checkpoint = await s.logs[1]!.checkpoint(2, {}, firstKey)
      }),
      atAudit(LOG, 1)('shows a shorter log than before', 'shrunk', async (s) => {
        await visited(s)
        s.checkpoint = await s.logs[1]!.checkpoint(1)
      }),
      atAudit(LOG, 2)('shows another log than before', 'fork', async (s) => {
        await visited(s)
        s.checkpoint = await s.logs[1]!.checkpoint(2, { root: HASH })
      }),
    ],
  }),
  verifying({
    name: 'LogAuditor.find',
    honest: async () => {
      const situation = await audited()
      const { leafId } = situation.found!
      return Object.assign(situation, { args: () => [leafId] })
    },
    lies: [
      otherKeys,
      auditLie()('says that the update is not there', 'missing_leaf', (s) => {
        s.found = null
      }),
      atAudit(FIRST_LOG, 2)('shows the position of another entry', 'missing_leaf', (s) => {
        s.found!.position.index = 2
      }),
      atAudit(FIRST_LOG, 1)('shows the audit path of another entry', 'rewritten', (s) => {
        s.found!.proof = s.logs[0]!.inclusion(2)
      }),
      atAudit(FIRST_LOG, 1)('shows a checkpoint that the log did not end with', 'beyond_final', async (s) => {
        s.found!.checkpoint = await s.logs[0]!.checkpoint(9, { root: HASH })
      }),
    ],
  }),
]
