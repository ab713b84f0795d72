/** Recovery: what core says of the identity that a kept request recovers. */
import type { Client } from '../../../src/client.ts'
import { REALM } from '../../realm.ts'
import { alice, mallory } from '../../sides.ts'
import { KEYS_OF_ANOTHER } from '../keys.ts'
import { data, keysOf, NOW, verifying } from '../situation.ts'

async function recovery() {
  const { kept } = await alice.prepareRecovery({ realm: REALM, now: NOW })
  const { did, scope, userId, publicKeyB64u } = alice
  const situation = {
    root: {
      did,
      scope,
      userId,
      publicKeyB64u: publicKeyB64u,
      epoch: 0,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
    },
    history: keysOf(alice),
    kept,
    of: (client: Client) => client.recovery(kept),
    args: () => [],
    answers: () => ({
      [`/api/chain/root/${did}`]: data(situation.root),
      [`/api/chain/root/${did}/history`]: data(situation.history),
    }),
  }
  return situation
}

export const RECOVERIES = [
  verifying({
    name: 'client.recovery.status',
    honest: recovery,
    lies: [
      KEYS_OF_ANOTHER,
      {
        lie: 'names the root key of somebody else',
        tell: ({ root }) => {
          root.publicKeyB64u = mallory.publicKeyB64u
        },
        subject: 'keys',
        reason: 'wrong_key',
        where: { epoch: 0 },
      },
    ],
  }),
]
