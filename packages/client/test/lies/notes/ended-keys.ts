import { userIdOfKey } from '@svc/protocol/base/identity'
import { statementHash } from '@svc/protocol/base/statement'
import { eventHash, type InceptionEvent } from '@svc/protocol/devices/inception'
import { Client } from '../../../src/client.ts'
import { Device } from '../../../src/identity/device.ts'
import { REALM } from '../../realm.ts'
import { alice, seeds } from '../../sides.ts'
import { data, keysOf, type Lie, NOW, signedBy, verifying } from '../situation.ts'
import {
  bothKeys,
  change,
  FIRST_HEAD,
  heir,
  honest,
  inceptionAnswers,
  type Noted,
  ofNote,
  resigned,
} from './written.ts'

/** A note signed by the next root key of Alice. */
const byHeir = () => {
  const keys = keysOf(alice)
  const history = (query: URLSearchParams) => data({ ...keys, keys: bothKeys.slice(Number(query.get('from'))) })
  return honest(heir, { [`/api/chain/root/${alice.did}/history`]: history })
}
/** Returns a version signed by the previous key. */
const ended = (s: Noted, changes: object = {}) => resigned(s, { keyId: alice.userId, ...changes }, alice)

const phone = await Device.fromSeeds(seeds(3), { origin: 'app:test', capabilities: ['notes:write'] })
const headOf = (event: InceptionEvent) => ({ sequence: event.statement.sequence, hash: eventHash(event) })

/** The phone of Alice wrote the second version, and was revoked later, at `NOW`. */
async function byRevoked() {
  const owner = new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice, now: () => NOW })
  const acceptance = await phone.acceptance(alice.did, { realm: REALM, now: NOW })
  const attested = await owner.devices.makeAttestation(acceptance, FIRST_HEAD)
  const revoked = await owner.devices.makeChange(phone.deviceId, { event: 'revoke' }, headOf(attested))
  const situation = await honest()
  const { answers } = situation
  const shown = inceptionAnswers([attested, revoked])
  const keyId = userIdOfKey(phone.devicePublicKeyB64u)
  const made = Object.assign(situation, {
    revoked,
    answers: () => ({ ...answers(), ...shown }),
    byPhone: (changes: object) => resigned(situation, { keyId, ...changes }, phone),
  })
  await made.byPhone({ inception: headOf(attested) })
  return made
}

type ByRevoked = Awaited<ReturnType<typeof byRevoked>>
const ofPhone = (lie: string, reason: Lie['reason'], tell: Lie<ByRevoked>['tell']): Lie<ByRevoked> => ({
  lie,
  reason,
  tell,
  subject: 'note',
})

/** Versions that a thief of an ended key may have signed. */
export const ENDED_NOTES = [
  verifying({
    name: 'client.notes.get',
    given: 'after a rotation',
    honest: byHeir,
    lies: [
      ofNote('shows a version of the previous root key that it accepted after the rotation', 'unordered', async (s) => {
        await ended(s)
        change(s, { acceptedAt: NOW + 1 })
      }),
      ofNote('shows a version of the previous root key that names an event of another log', 'unknown_head', (s) =>
        ended(s, { inception: { sequence: 1, hash: 'cd'.repeat(48) } }),
      ),
      {
        ...ofNote('shows a version that names an older event than the one before', 'older_head', async (s) => {
          const { statement, recordHash } = s.versions[1]!
          const { signatureB64u, statement: next } = await signedBy(heir, statement, {
            follows: recordHash,
            inception: null,
          })
          const placed = { version: 3, seq: 3, recordHash: statementHash(next) }
          s.versions.push({ ...s.versions[1]!, ...placed, statement: next, signatureB64u })
        }),
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'client.notes.get',
    given: 'after the revocation of a device',
    honest: byRevoked,
    lies: [
      ofPhone(
        'shows a backdated version of the device that it accepted after the revocation',
        'unordered',
        async (s) => {
          await s.byPhone({ issuedAt: NOW - 60_000 })
          change(s, { acceptedAt: NOW + 1 })
        },
      ),
      ofPhone('shows a version of the device that names its revocation', 'not_entitled', (s) =>
        s.byPhone({ inception: headOf(s.revoked) }),
      ),
      ofPhone('shows a version of the device from before its attestation', 'not_entitled', (s) =>
        s.byPhone({ inception: FIRST_HEAD }),
      ),
    ],
  }),
]
