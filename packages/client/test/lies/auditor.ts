/** Lies that an auditor of the whole log finds. */
import { leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
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
import { changedCheckpoint, LOGS } from './checkpoints.ts'
import { mapEntry } from './mapped-log.ts'
import { LABEL } from './published.ts'
import { data, fetchIn, type Lie, NOW, type Situation, verifying } from './situation.ts'

const HASH = 'a7'.repeat(48)
const FIRST_LOG = `${REALM}/transparency/2027a`
const BASE = '/api/transparency'
const { transparency: LOG } = LOGS

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
      atAudit(FIRST_LOG, 2)('logs a map that does not follow from the entries', 'wrong_map', async (s) =>
        become(s, await audited([[lines[0], mapEntry([HASH], 2).line], []])),
      ),
      inAudit('logs a key agreement behind a newer one', 'out_of_order', async (s) =>
        become(s, await audited([updates.slice(0, 2).map((one, i) => updateLine({ ...one, agreedAt: NOW - i })), []])),
      ),
      atAudit(FIRST_LOG, 2)('leaves a key agreement out of the map', 'wrong_map', async (s) => {
        const { statementHash } = updates[0]!
        const agreed = updateLine({ ...updates[0]!, agreedAt: NOW })
        await become(s, await audited([[agreed, mapEntry([statementHash], 2).line], []]))
      }),
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
