import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { deviceIdOf } from '../base/device.ts'
import type { KnownInception } from '../base/inception-head.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { attestationOf, changeOf } from '../devices/inception.fixture.ts'
import { alice, first, genesisHash, keyOf, laptop, logOf, mallory, phone, successor } from '../devices/log.fixture.ts'
import type { SignerHistory } from '../devices/signer-standing.ts'
import { InceptionVerifier } from '../devices/verifier.ts'
import { olderUpdate, packageStanding } from './package-order.ts'

const NOW = 1_790_000_000_000
/** 1 attests the phone, 2 the laptop, 3 revokes the phone. */
const events = await logOf(
  (head) => attestationOf(first, head, phone),
  (head) => attestationOf(first, head, laptop),
  (head) => changeOf(first, head, phone, { event: 'revoke' }),
)
const verifier = new InceptionVerifier([keyOf(0, alice)], genesisHash, REALMS)
for (const event of events) await verifier.next(event)
const log = verifier.steps
const history: SignerHistory = { keys: [keyOf(0, alice)], log, now: NOW }
const before = (count: number): SignerHistory => ({ ...history, log: log.slice(0, count + 1) })
const head = (sequence: number) => ({ sequence, hash: log[sequence]?.hash ?? '' })
const kind = { profile: 'bound-v4', suiteId: 'mlkem768-mldsa65-sha3384' } as const

/** A package and its credential, which name these events. */
function pairOf(device: Signer, own: KnownInception, root: KnownInception, rootEpoch = 0) {
  const shared = { realm: REALM, did: alice.did, deviceId: deviceIdOf(device.ownerPublicKey), ...kind, issuedAt: NOW }
  const rest = { signatureB64u: '' }
  const keyPackage = { devicePublicKeyB64u: device.ownerPublicKey, kemPublicKeyB64u: '', inception: own }
  const credential = { scope: alice.scope, rootEpoch, version: 1, keyPackageHash: '', inception: root }
  return {
    keyPackage: { statement: { type: 'svc/key-package/v1' as const, ...shared, ...keyPackage }, ...rest },
    credential: { statement: { type: 'svc/device-credential/v1' as const, ...shared, ...credential }, ...rest },
  }
}

describe('the updates of a device', () => {
  const DEVICES = ['A'.repeat(32), 'B'.repeat(32)] as const
  const update = (type: string, device: 0 | 1, inception: KnownInception) => ({
    type: `svc/${type}/v1`,
    deviceId: DEVICES[device],
    inception,
  })

  it('name the same event as those before, or a newer one', () => {
    const statements = [
      update('device-credential', 0, null),
      update('device-credential', 0, head(1)),
      update('device-credential', 1, null),
      update('package-revocation', 0, head(1)),
      update('device-credential', 0, head(3)),
    ]
    expect(olderUpdate(statements)).toBeNull()
  })

  it.each([
    ['a credential', 'device-credential', head(0)],
    ['a revocation', 'package-revocation', head(1)],
    ['one that names nothing', 'device-credential', null],
  ])('are out of order with %s of an older event', (_, type, inception) => {
    const statements = [
      update('device-credential', 0, head(2)),
      update('rotation-request', 0, null),
      update(type, 0, inception),
    ]
    expect(olderUpdate(statements)).toBe(2)
  })
})

describe('a package whose account shows its log', () => {
  it('says whether the device is active', () => {
    const pair = pairOf(phone, head(1), head(1))
    expect(packageStanding(before(2), pair)).toEqual({ signer: 'active', fault: null })
    expect(packageStanding(history, pair)).toEqual({ signer: 'revoked', fault: null })
    expect(packageStanding(history, pairOf(laptop, head(2), head(3)))).toEqual({ signer: 'active', fault: null })
  })

  it('is unordered if the root key vouched for it after the device had ended', () => {
    const unordered = { signer: 'revoked', fault: 'unordered' }
    expect(packageStanding(history, pairOf(phone, head(1), head(3)))).toEqual(unordered)
    expect(packageStanding(history, pairOf(phone, head(1), null))).toEqual(unordered)
  })

  it.each([
    ['not_entitled', pairOf(phone, head(0), head(1))],
    ['not_entitled', pairOf(phone, head(3), head(3))],
    ['not_entitled', pairOf(phone, null, head(1))],
    ['unknown_head', pairOf(phone, { sequence: 1, hash: head(2).hash }, head(1))],
    ['unknown_head', pairOf(phone, head(1), { sequence: 9, hash: head(1).hash })],
    ['wrong_key', pairOf(mallory, head(1), head(1))],
    ['wrong_key', pairOf(phone, head(1), head(1), 7)],
  ])('is refused: %s', (fault, pair) => {
    expect(packageStanding(history, pair)).toEqual({ signer: null, fault })
  })

  it('is unordered if a replaced root key vouched for it', () => {
    const keys = [keyOf(0, alice), keyOf(1, successor)]
    const standing = packageStanding({ ...history, keys }, pairOf(laptop, head(2), head(2)))
    expect(standing).toEqual({ signer: 'superseded', fault: 'unordered' })
  })
})
