import { statementHash } from '@svc/protocol/base/statement'
import { labels, otherLabels } from '@svc/protocol/keys/account-labels.fixture'
import { EMPTY_HEAD, foldHead, leafIdOf } from '@svc/protocol/keys/account-updates'
import { firstKey, keysOf, listSigners, nextListSigners, signedList } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { changedCheckpoint, contradictions, falseExtensions, LOGS } from './checkpoints.ts'
import { accountProofs, cosigned, mapEntry, mappedLog } from './mapped-log.ts'
import { deviceOf, LABEL, published } from './published.ts'
import { data, type Lie, NOW, OTHER_REALM, verifying } from './situation.ts'

const HASH = 'a7'.repeat(48)
const FIRST_LOG = `${REALM}/transparency/2027a`
const OTHER_LOG = `${REALM}/transparency/2099z`
const BASE = '/api/transparency'

/** The log of a directory that has published one package, and what it says of the account. */
async function directory() {
  const found = await published(await deviceOf(3))
  const hash = statementHash(found.credential.statement)
  const { closed, log, list, account: proved } = await mappedLog([hash])
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
    proved,
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
    options: {
      keys: 'https://keys.test',
      logListKeys: keysOf(listSigners),
      witnesses: { threshold: 1, publicKeysB64u: [mallory.publicKeyB64u] },
      mapPatience: { attempts: 2, pauseMs: 1 },
    },
    args: (): unknown[] => [],
    answers: () => {
      const { checkpoint: shown } = situation
      const consistency = (first: number, second: number) =>
        data({ log: log.log, first, second, proof: situation.proof(first, second), checkpoint: shown })
      return {
        [`${BASE}/logs`]: data({ list: situation.list, earlier: [] }),
        [`${BASE}/checkpoint`]: data({ checkpoint: shown, cosignatures: [situation.cosignature] }),
        [`${BASE}/proof/${found.leafId}`]: data(situation.inclusion),
        ...accountProofs(`${BASE}/proof/`, { ...situation.proved, checkpoint: shown }),
        [`${BASE}/audit/${LABEL}`]: data({
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
const uncosigned = (lie: string, tell: Lie<Directory>['tell']) => inLog(lie, 'not_cosigned', tell)
const ofLabel = lieOf('label')

/** What no method takes that needs the label of an account for the first time. */
const falseLabels: readonly Lie<Directory>[] = [
  ofLabel('proves a label with another key than the list names', 'wrong_label', (s) => {
    Object.assign(s.proved, otherLabels.prove(alice.did))
  }),
  ofLabel('shows the label and the proof of another identity', 'wrong_label', (s) => {
    Object.assign(s.proved, labels.prove(mallory.did))
  }),
  ofLabel('calls an account absent under a label that is not its own', 'wrong_label', (s) => {
    const { label } = otherLabels.prove(alice.did)
    const other = { ...otherLabels.prove(mallory.did), label, result: 'absent' as const, terminal: null }
    Object.assign(s.proved, EMPTY_HEAD, other)
  }),
  ofAccount('shows another label beside the proof', 'different_answer', (s) => {
    s.proved.label = otherLabels.labelOf(alice.did)
  }),
  lieOf('answer', { member: 'labelProofB64u' })('leaves out the proof of the label', 'malformed', (s) => {
    Object.assign(s.proved, { labelProofB64u: undefined })
  }),
]

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
/** Refused by every method that relies on a log. */
const unwitnessed = uncosigned('shows a log that no witness has cosigned', async (s) => {
  s.cosignature = await cosigned(s.checkpoint, REALM, {}, alice)
})
/** Shows another log, whose checkpoint the witness has cosigned. */
async function show(s: Directory, other: Awaited<ReturnType<typeof mappedLog>>): Promise<void> {
  s.proved = other.account
  const checkpoint = await other.log.checkpoint()
  Object.assign(s, { log: other.log, checkpoint, cosignature: await cosigned(checkpoint) })
}

const falseInclusions = [
  unwitnessed,
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

const falseUpdates: readonly Lie<Directory>[] = [
  unwitnessed,
  ofAccount('answers for another account', 'inconsistent', (s) => {
    s.account.label = 'b7'.repeat(32)
  }),
  ofAccount('leaves out an update', 'inconsistent', (s) => void s.hashes.pop()),
  ofAccount('changes an update', 'inconsistent', (s) => {
    s.hashes[0] = HASH
  }),
  ofAccount('shows the owner other updates than the map has', 'inconsistent', (s) => {
    s.hashes[0] = HASH
    Object.assign(s.account, foldHead(EMPTY_HEAD, [HASH]))
  }),
  ofAccount('hides an update that the map has', 'left_out', async (s) => {
    await show(s, await mappedLog([...s.hashes, HASH]))
  }),
  ...falseCheckpoints,
]

export const TRANSPARENCY = [
  verifying({
    name: 'client.transparency.checkpoint',
    honest: directory,
    lies: [
      ...falseCheckpoints,
      ...contradictions<Directory>('transparency'),
      uncosigned('has a cosignature of another tree', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, REALM, { root: HASH })
      }),
      uncosigned('has a cosignature by an unknown witness', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, REALM, {}, alice)
      }),
      uncosigned('has a cosignature of another log', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, REALM, { log: OTHER_LOG })
      }),
      uncosigned('has only a cosignature of long ago, for a smaller log', async (s) => {
        s.cosignature = await cosigned(await s.log.checkpoint(2), REALM, { issuedAt: NOW - 3_600_001 })
      }),
    ],
  }),
  verifying({
    name: 'client.transparency.checkpoint',
    given: 'beyond what was cosigned a moment ago',
    honest: async () => {
      const situation = await directory()
      const cosignature = await cosigned(await situation.log.checkpoint(2), REALM, { issuedAt: NOW - 3_600_000 })
      return Object.assign(situation, { cosignature })
    },
    lies: [
      uncosigned('does not prove that the log extends it', (s) => {
        s.proof = () => []
      }),
    ],
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
  verifying({
    name: 'client.transparency.proveUpdate',
    honest: about((s) => [alice.did, s.hashes[0]]),
    lies: falseInclusions.filter(({ lie }) => lie !== 'names another number of the update'),
  }),
  verifying({ name: 'client.transparency.labelOf', honest: about(() => [alice.did]), lies: falseLabels }),
  verifying({ name: 'client.transparency.labelProofOf', honest: about(() => [alice.did]), lies: falseLabels }),
  verifying({ name: 'client.transparency.updatesOf', honest: about(() => [alice.did]), lies: falseUpdates }),
  verifying({ name: 'client.transparency.waitFor', honest: about((s) => [s.found]), lies: falseInclusions }),
  verifying({
    name: 'client.transparency.account',
    honest: about(() => [alice.did]),
    lies: [
      unwitnessed,
      ...falseLabels,
      ofAccount('says that there is nothing', 'wrong_map', (s) => {
        Object.assign(s.proved, { ...EMPTY_HEAD, result: 'absent', terminal: null })
      }),
      ofAccount('calls an account absent whose updates it shows', 'wrong_map', (s) => {
        s.proved.result = 'absent'
      }),
      ofAccount('shows another head', 'wrong_map', (s) => {
        s.proved.head = HASH
      }),
      ofAccount('shows an account that the map does not have', 'wrong_map', (s) => {
        Object.assign(s.proved, foldHead(EMPTY_HEAD, [HASH]), mapEntry([HASH], 2).map.path(LABEL))
      }),
      ofAccount('shows a map that the log does not have', 'not_included', (s) => {
        s.proved.map.leaf = mapEntry([HASH], 2).line
      }),
      ofAccount('shows an update as the map', 'no_map', (s) => {
        const position = { log: s.log.log, index: 1 }
        s.proved.map = { leaf: s.log.lines[1] ?? '', position, proof: s.log.inclusion(1) }
      }),
      ofAccount('shows a map older than a minute that is not the end of the log', 'expired', async (s) => {
        await show(s, await mappedLog([...s.hashes, HASH], { counted: 1, at: NOW - 60_001 }))
      }),
      ofAccount('shows the end of the log as it was a minute ago', 'expired', (s) => {
        s.now = NOW + 60_001
      }),
      ...falseCheckpoints,
    ],
  }),
  verifying({
    name: 'client.transparency.follow',
    honest: about(() => [alice.did]),
    lies: [
      ...falseUpdates,
      ofAccount('keeps an update that the caller knows out of the map', 'left_out', (s) => {
        const known = foldHead(EMPTY_HEAD, [...s.hashes, HASH])
        s.args = () => [alice.did, known]
        s.hashes = []
        Object.assign(s.account, known)
      }),
    ],
  }),
  verifying({
    name: 'client.transparency.witnessed',
    honest: async () => {
      const situation = await directory()
      situation.cosignature = await cosigned(situation.checkpoint, REALM, { verifies: 'log+map' })
      return Object.assign(situation, { args: () => [situation.proved] })
    },
    lies: [
      inCosignature('changes a cosignature', 'invalid_signature', (s) => {
        Object.assign(s.cosignature.statement, { size: 2 })
      }),
      ofAccount('has a cosignature of the log alone', 'not_cosigned', async (s) => {
        s.cosignature = await cosigned(s.checkpoint)
      }),
      ofAccount('has a cosignature from before the map', 'not_cosigned', async (s) => {
        s.cosignature = await cosigned(await s.log.checkpoint(2), REALM, { verifies: 'log+map' })
      }),
      ofAccount('has a cosignature of another tree', 'not_cosigned', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, REALM, { verifies: 'log+map', root: HASH })
      }),
      ofAccount('has a cosignature by an unknown witness', 'not_cosigned', async (s) => {
        s.cosignature = await cosigned(s.checkpoint, REALM, { verifies: 'log+map' }, alice)
      }),
      ...falseCheckpoints,
    ],
  }),
]
