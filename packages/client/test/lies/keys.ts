import { successorHash } from '@svc/protocol/chain/commitment'
import { rotationIdOf } from '@svc/protocol/chain/rotation'
import { signGenesis } from '../../src/chain/new-block.ts'
import { REALMS } from '../realm.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { DIRECTORY, loggedUpdates } from './logged-updates.ts'
import { data, keysOf, type Lie, NOW, OTHER_REALM, type Situation, signedBy, verifying } from './situation.ts'

/** Alice has rotated once: her keys, and the record of it. */
async function honest() {
  const { heir, evidence, keys: proved } = await heirOfAlice()
  const { request } = evidence
  const record = {
    rotationId: rotationIdOf(request.statement),
    kind: 'rotation',
    status: 'active',
    basis: 'root',
    version: 2,
    epoch: 1,
    newUserId: heir.userId,
    requestedAt: NOW,
    deadline: null,
    contestedAt: null,
    requiredCosigners: 0,
    cosignatures: 0,
    freezes: 0,
    cancels: 0,
    approvedAt: null,
    activatedAt: NOW,
    request,
    cosigned: [],
    vetoes: [] as unknown[],
    approval: null,
  }
  const history = keysOf(alice)
  const situation = {
    heir,
    record,
    history: {
      ...history,
      keys: proved.map((key) => ({ ...key, request: key.request as unknown, genesis: key.genesis as unknown })),
    },
    options: { identity: alice, ...DIRECTORY },
    args: (): unknown[] => [],
    logged: await loggedUpdates([record.rotationId]),
    answers: () => ({
      ...situation.logged,
      [`/api/chain/root/${alice.did}/history`]: (query: URLSearchParams) => {
        const keys = situation.history.keys.slice(Number(query.get('from')))
        return data({ ...situation.history, keys, rotation: situation.record })
      },
      '/api/chain/rotation/current': data({ active: situation.record, latest: situation.record }),
      '/api/rotation/request': situation.record,
    }),
  }
  return situation
}
type Rotated = Awaited<ReturnType<typeof honest>>
const ofAlice = async () => Object.assign(await honest(), { args: () => [alice.did] })

/** Told wherever a method reads the keys of an identity. */
export const KEYS_OF_ANOTHER: Lie<Situation & { history: ReturnType<typeof keysOf> }> = {
  lie: 'shows the keys of another identity',
  tell: (s) => {
    s.history = keysOf(mallory)
  },
  subject: 'keys',
  reason: 'bad_genesis',
  where: { epoch: 0 },
}

const falseRecord = (lie: string, tell: Lie<Rotated>['tell']): Lie<Rotated> => ({
  lie,
  tell,
  subject: 'rotation',
  reason: 'mismatch',
  where: { epoch: 1 },
})
/** Signs the request anew, so that only the given things are wrong. */
async function rerequested(s: Rotated, changes: object, by = alice) {
  const { signatureB64u, statement } = await signedBy(by, s.record.request.statement, changes)
  const { signatureB64u: newKeySignatureB64u } = await signedBy(s.heir, statement)
  return { statement, signatureB64u, newKeySignatureB64u }
}
const rerecorded = async (s: Rotated, changes: object, by = alice) => {
  const request = await rerequested(s, changes, by)
  Object.assign(s.record, { request, rotationId: rotationIdOf(request.statement) })
}
const falseRecords = [
  falseRecord('names another new key in a record', (s) => {
    s.record.newUserId = mallory.userId
  }),
  falseRecord('shows a rotation that another key requested', (s) => rerecorded(s, {}, mallory)),
  falseRecord('shows a rotation for another deployment', (s) => rerecorded(s, { realm: OTHER_REALM })),
  falseRecord('shows a rotation of another identity', (s) => rerecorded(s, { did: mallory.did })),
  falseRecord('shows a veto that the root key did not sign', async (s) => {
    const { rotationId } = s.record
    const { did, scope } = alice
    const veto = {
      realm: 'https://core.test',
      did,
      scope,
      rotationId,
      signedBy: 'root',
      inception: null,
      issuedAt: NOW,
    }
    Object.assign(s.record, {
      freezes: 1,
      vetoes: [await signedBy(mallory, { type: 'svc/rotation-freeze/v1', ...veto })],
    })
  }),
]

const falseKeys: readonly Lie<Rotated>[] = [
  {
    lie: 'shows a key that the one before did not introduce',
    tell: async (s) => {
      s.history.keys[1]!.request = await rerequested(s, {}, mallory)
    },
    subject: 'keys',
    reason: 'invalid_signature',
    where: { epoch: 1 },
  },
  {
    lie: 'shows a rotation for another deployment',
    tell: async (s) => {
      s.history.keys[1]!.request = await rerequested(s, { realm: OTHER_REALM })
    },
    subject: 'keys',
    reason: 'invalid_signature',
    where: { epoch: 1 },
  },
  {
    lie: 'shows a key that follows another than the one before',
    tell: async (s) => {
      s.history.keys[1]!.request = await rerequested(s, { scope: mallory.scope })
    },
    subject: 'keys',
    reason: 'broken_link',
    where: { epoch: 1 },
  },
  {
    lie: 'shows a key that the first block had not committed to',
    tell: async (s) => {
      const commitment = { next: [successorHash(mallory.publicKeyB64u)], replaceable: false }
      s.history.keys[0]!.genesis = { block: await signGenesis(alice, NOW, commitment), commitment }
    },
    subject: 'keys',
    reason: 'key_not_committed',
    where: { epoch: 1 },
  },
  {
    lie: 'hides which keys the first block names',
    tell: async (s) => {
      const commitment = { next: [successorHash(mallory.publicKeyB64u)], replaceable: false }
      s.history.keys[0]!.genesis = { block: await signGenesis(alice, NOW, commitment), commitment: null }
    },
    subject: 'keys',
    reason: 'commitment_withheld',
    where: { epoch: 0 },
  },
  {
    lie: 'hides the first block',
    tell: (s) => {
      s.history.keys[0]!.genesis = null
    },
    subject: 'keys',
    reason: 'commitment_withheld',
    where: { epoch: 0 },
  },
  KEYS_OF_ANOTHER,
]

export const KEYS = [
  verifying({
    name: 'client.keyHistory.of',
    honest: ofAlice,
    lies: [
      ...falseKeys,
      {
        lie: 'claims an activation that never happened',
        tell: async (s) => {
          s.logged = await loggedUpdates(['a7'.repeat(48)])
          s.history.keys[1]!.activatedAt = NOW - 24 * 3_600_000
        },
        subject: 'keys',
        reason: 'not_activated',
        where: { epoch: 1 },
      },
      {
        lie: 'lists the key of a rotation that it reports as frozen',
        tell: (s) => {
          s.record.status = 'frozen'
        },
        subject: 'keys',
        reason: 'not_activated',
        where: { epoch: 1 },
      },
      {
        lie: 'leaves out a key',
        tell: (s) => void Object.assign(s.history, { keys: s.history.keys.slice(0, 1), next: 7 }),
        subject: 'keys',
        reason: 'left_out',
        where: { epoch: 0 },
      },
      {
        lie: 'shows fewer keys than before',
        tell: (s) => void s.history.keys.pop(),
        subject: 'keys',
        reason: 'rollback',
        where: { position: 0 },
        afterTruth: true,
      },
      {
        lie: 'shows another key for an epoch than before',
        tell: async (s) => {
          const other = await heirOfAlice()
          s.history.keys[1] = other.evidence
        },
        subject: 'keys',
        reason: 'fork',
        where: { position: 1 },
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'verifyKeyHistory',
    honest: async () => {
      const situation = await honest()
      const of = () => import('../../src/verify.ts')
      return Object.assign(situation, { of, args: () => [situation.history.keys, alice.did, REALMS] })
    },
    lies: [
      ...falseKeys,
      {
        lie: 'shows no key',
        tell: (s) => void s.history.keys.splice(0),
        subject: 'keys',
        reason: 'empty',
        where: { epoch: 0 },
      },
      {
        lie: 'leaves out the first key',
        tell: (s) => void s.history.keys.shift(),
        subject: 'keys',
        reason: 'bad_genesis',
        where: { epoch: 0 },
      },
    ],
  }),
  verifying({ name: 'client.keyHistory.rotation', honest: ofAlice, lies: falseRecords }),
  verifying({
    name: 'client.keyHistory.check',
    honest: async () => {
      const situation = await honest()
      return Object.assign(situation, { args: () => [alice.did, situation.record] })
    },
    lies: falseRecords,
  }),
  verifying({ name: 'client.rotation.newest', honest, lies: falseRecords }),
  verifying({ name: 'client.rotation.current', honest, lies: falseRecords }),
]
