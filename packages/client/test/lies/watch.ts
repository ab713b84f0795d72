import { WatchToken } from '../../src/watch/watch-token.ts'
import { alice, heirOfAlice, mallory, tablet } from '../sides.ts'
import { data, keysOf, type Lie, NOW, verifying } from './situation.ts'

const token = WatchToken.create()

/** The response to a watch token of Alice, who has rotated once and added a device. */
async function honest() {
  const { heir, keys } = await heirOfAlice()
  const { did, scope } = alice
  const { userId, publicKeyB64u } = heir
  const added = { kind: 'device_added', deviceId: tablet.deviceId, cosigns: true, at: NOW }
  const situation = {
    root: {
      did,
      scope,
      userId,
      publicKeyB64u,
      epoch: 1,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
      devices: { active: 2, standing: 1, newest: { hash: 'a7'.repeat(48), time: NOW } } as object | undefined,
      changes: [{ ...added, countsAt: NOW + 24 * 3_600_000, countsUntil: null }] as object[] | undefined,
    },
    keys,
    args: () => [did, token],
    answers: () => ({
      [`/api/chain/root/${did}`]: data(situation.root),
      [`/api/chain/root/${did}/history`]: (query: URLSearchParams) =>
        data({ ...keysOf(alice), keys: situation.keys.slice(Number(query.get('from'))) }),
    }),
  }
  return situation
}
type Watched = Awaited<ReturnType<typeof honest>>
const ofRoot = (lie: string, reason: Lie['reason'], tell: Lie<Watched>['tell']): Lie<Watched> => ({
  lie,
  reason,
  tell,
  subject: 'keys',
})
const rootOf = ({ epoch, userId, publicKeyB64u }: typeof alice) => ({ epoch, userId, publicKeyB64u })

export const WATCH = [
  verifying({
    name: 'client.watch.look',
    given: 'with a token',
    honest,
    lies: [
      {
        ...ofRoot('answers for another identity', 'wrong_key', (s) => {
          s.root.did = mallory.did
        }),
        where: { epoch: 1 },
      },
      {
        ...ofRoot('names the key of somebody else', 'wrong_key', (s) =>
          Object.assign(s.root, { ...rootOf(mallory), epoch: 1 }),
        ),
        where: { epoch: 1 },
      },
      {
        ...ofRoot('names a key without the rotation to it', 'wrong_key', (s) => void s.keys.pop()),
        where: { epoch: 1 },
      },
      {
        ...ofRoot('names the previous root key', 'rollback', (s) => Object.assign(s.root, rootOf(alice))),
        where: { position: 0 },
        afterTruth: true,
      },
      {
        ...ofRoot('names another key for the epoch than before', 'fork', async (s) => {
          const { heir, evidence } = await heirOfAlice()
          s.keys[1] = evidence
          Object.assign(s.root, { userId: heir.userId, publicKeyB64u: heir.publicKeyB64u })
        }),
        where: { position: 1 },
        afterTruth: true,
      },
      ofRoot('hides the device counts', 'left_out', (s) => {
        s.root.devices = undefined
      }),
      ofRoot('hides the changes of standing', 'left_out', (s) => {
        s.root.changes = undefined
      }),
      {
        lie: 'shows a change without a device',
        tell: (s) => Object.assign(s.root.changes![0]!, { deviceId: null }),
        subject: 'answer',
        reason: 'malformed',
        where: { member: 'changes.0.deviceId' },
      },
    ],
  }),
]
