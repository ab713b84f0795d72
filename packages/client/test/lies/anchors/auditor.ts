/** Lies that an auditor of the logs of anchors finds. */
import {
  firstKey,
  keysOf,
  listSigners,
  nextListSigners,
  rolledLog,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { AnchorAuditor } from '../../../src/ledger/anchor-auditor.ts'
import { Transport } from '../../../src/transport/transport.ts'
import { REALM } from '../../realm.ts'
import { changedCheckpoint, LOGS } from '../checkpoints.ts'
import { data, fetchIn, type Lie, NOW, type Situation, verifying } from '../situation.ts'

const HASH = 'a7'.repeat(48)
const { anchors: LOG } = LOGS

async function audited() {
  const { second, list } = await rolledLog('anchors', [['a'], ['b', 'c']])
  const situation = {
    log: second,
    list,
    checkpoint: await second.checkpoint(),
    from: null as unknown,
    proof: (a: number, b: number) => second.consistency(a, b),
    args: (): unknown[] => [situation.from],
    of: () => auditorIn(situation),
    answers: () => ({
      '/api/logs': data({ list: situation.list, earlier: [] }),
      '/api/anchors/checkpoint': situation.checkpoint,
      '/api/anchors/consistency': (query: URLSearchParams) => {
        const [from, to] = [Number(query.get('first')), Number(query.get('second'))]
        return { log: LOG, first: from, second: to, proof: situation.proof(from, to) }
      },
    }),
  }
  return situation
}
type Audited = Awaited<ReturnType<typeof audited>>

function auditorIn(situation: Situation): AnchorAuditor {
  const transport = new Transport({ realm: REALM, fetch: fetchIn(situation), now: () => NOW + 1_000 })
  return new AnchorAuditor(transport, REALM, keysOf(listSigners))
}
/** At the auditor's last visit, the open log had two entries. */
const visited = async (s: Audited) => {
  const { checkpoint } = s
  s.checkpoint = await s.log.checkpoint(2)
  s.from = await auditorIn(s).follow(null)
  s.checkpoint = checkpoint
}
const at =
  (where: NonNullable<Lie['where']>) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Audited>['tell']): Lie<Audited> => ({
    lie,
    reason,
    tell,
    subject: 'anchors',
    where,
  })
const inLog = at({ log: LOG })

export const ANCHOR_AUDITOR = [
  verifying({
    name: 'AnchorAuditor.follow',
    honest: async () => {
      const situation = await audited()
      await visited(situation)
      return situation
    },
    lies: [
      {
        lie: 'signs the list of logs with other keys',
        tell: async (s: Audited) => {
          s.from = null
          s.list = await signedList(s.list.statement, nextListSigners)
        },
        subject: 'logs',
        reason: 'threshold_not_met',
      },
      inLog('changes the checkpoint', 'invalid_signature', (s) => {
        s.checkpoint = changedCheckpoint(s.checkpoint)
      }),
      inLog('signs the checkpoint with another key', 'wrong_log', async (s) => {
        s.checkpoint = await s.log.checkpoint(3, {}, firstKey)
      }),
      at({ log: LOG, position: 1 })('shows a shorter log than before', 'shrunk', async (s) => {
        s.checkpoint = await s.log.checkpoint(1)
      }),
      at({ log: LOG, position: 2 })('shows another root for the same size', 'fork', async (s) => {
        s.checkpoint = await s.log.checkpoint(2, { root: HASH })
      }),
      at({ log: LOG, position: 3 })('shows another log than before', 'fork', async (s) => {
        s.checkpoint = await s.log.checkpoint(3, { root: HASH })
      }),
      at({ log: LOG, position: 3 })('shows a proof that does not lead from before to now', 'fork', (s) => {
        s.proof = (_, second) => s.log.consistency(1, second)
      }),
    ],
  }),
]
