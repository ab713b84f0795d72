import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import {
  firstKey,
  keysOf,
  listSigners,
  nextList,
  nextListSigners,
  rolledLog,
  signedList,
  VALID_UNTIL,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { TrustedLogs } from '../../src/logs/trusted-logs.ts'
import { Transport } from '../../src/transport/transport.ts'
import { REALM } from '../realm.ts'
import { LOGS, OTHER_ROOT, UNLISTED } from './checkpoints.ts'
import { data, fetchIn, type Lie, NOW, OTHER_REALM, verifying } from './situation.ts'

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
        where: { log: LOGS.anchors },
      },
      {
        lie: 'signs the checkpoint with another key',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(1, {}, firstKey)
        },
        subject: 'anchors',
        reason: 'wrong_log',
        where: { log: LOGS.anchors },
      },
      {
        lie: 'shows a checkpoint of a log that is not listed',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(1, { log: UNLISTED })
        },
        subject: 'anchors',
        reason: 'unlisted_log',
        where: { log: UNLISTED },
      },
    ],
  }),
]
