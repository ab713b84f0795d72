import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { deviceIdOf } from '../base/device.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import { signStatement, statementHash } from '../base/statement.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { signedDeviceAgreementSchema } from './agreement.ts'
import { attestationOf, changeOf, headAfter, NOW } from './inception.fixture.ts'
import { type AttestDevice, attestDeviceSchema } from './inception.ts'
import {
  alice,
  at,
  faultOf,
  first,
  flipped,
  genesisHash,
  laptop,
  logOf,
  mallory,
  phone,
  second,
  tablet,
} from './log.fixture.ts'

const GENESIS = { sequence: 0, hash: genesisHash }

/** Returns the phone's agreement to the attestation; `members` override what it should sign. */
async function agreedBy(by: Signer, event: AttestDevice, members: object = {}): Promise<AttestDevice> {
  const { did, scope, rootEpoch, deviceId } = event.statement
  const statement = {
    type: 'svc/device-agreement/v1',
    realm: REALM,
    did,
    scope,
    rootEpoch,
    deviceId,
    acceptanceHash: statementHash(event.acceptance.statement),
    signedBy: deviceIdOf(phone.ownerPublicKey),
    inception: GENESIS,
    issuedAt: NOW,
    ...members,
  } as const
  return { ...event, agreement: await signStatement(statement, by.sign) }
}

const [begun] = await logOf((head) => attestationOf(first, head, phone))
const head = headAfter(begun!)
const joining = await attestationOf(first, head, laptop)
const agreed = await agreedBy(phone, joining)
/** Returns the fault of the log with this event after the phone’s attestation. */
const faultWith = (event: AttestDevice) => faultOf([begun!, event])

describe('an agreement', () => {
  it('passes its schema, which allows no other member', () => {
    expect(attestDeviceSchema.parse(agreed)).toEqual(agreed)
    const { agreement } = agreed
    for (const members of [{ note: 'x' }, { inception: undefined }, { acceptanceHash: null }, { signedBy: 'root' }]) {
      const other = { ...agreement, statement: { ...agreement!.statement, ...members } }
      expect(signedDeviceAgreementSchema.safeParse(other).success).toBe(false)
    }
  })

  it('by another device of the log is verified, even if that device was revoked since', async () => {
    expect(await faultWith(agreed)).toBeNull()
    expect(await faultWith(await agreedBy(phone, joining, { inception: head }))).toBeNull()
    expect(await faultWith(await agreedBy(phone, joining, { inception: null }))).toBeNull()
    const revoked = await changeOf(first, head, phone, { event: 'revoke' })
    const after = await agreedBy(phone, await attestationOf(first, headAfter(revoked), laptop))
    expect(await faultOf([begun!, revoked, after])).toBeNull()
  })

  it('is refused with another signature', async () => {
    const signatureB64u = flipped(agreed.agreement!.signatureB64u)
    const forged = { ...agreed, agreement: { ...agreed.agreement!, signatureB64u } }
    for (const event of [forged, await agreedBy(laptop, joining), await agreedBy(alice, joining)]) {
      expect(await faultWith(event)).toEqual(at(1, 'invalid_signature'))
    }
    expect(await faultWith(await agreedBy(phone, joining, { realm: 'https://core.other.test' }))).toEqual(
      at(1, 'invalid_signature'),
    )
  })

  it.each<[string, object]>([
    ['identity', { did: mallory.did }],
    ['scope', { scope: mallory.scope }],
    ['root key', { rootEpoch: 1 }],
    ['device', { deviceId: deviceIdOf(tablet.ownerPublicKey) }],
    ['acceptance', { acceptanceHash: 'a7'.repeat(48) }],
    ['signer than a device of the log', { signedBy: deviceIdOf(tablet.ownerPublicKey) }],
    ['event of the log', { inception: { ...head, hash: 'a7'.repeat(48) } }],
    ['event than there is', { inception: { sequence: 2, hash: 'a7'.repeat(48) } as InceptionHead }],
    ['genesis block', { inception: { ...GENESIS, hash: 'a7'.repeat(48) } }],
  ])('about another %s is refused', async (_, members) => {
    expect(await faultWith(await agreedBy(phone, joining, members))).toEqual(at(1, 'agreement_mismatch'))
  })

  it('by the device itself is refused', async () => {
    const signedBy = deviceIdOf(laptop.ownerPublicKey)
    expect(await faultWith(await agreedBy(laptop, joining, { signedBy }))).toEqual(at(1, 'agreement_mismatch'))
  })

  it('by a device of a former root key is refused', async () => {
    const later = await agreedBy(phone, await attestationOf(second, head, laptop))
    expect(await faultWith(later)).toEqual(at(1, 'agreement_mismatch'))
  })
})
