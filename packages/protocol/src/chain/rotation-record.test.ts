import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { deviceIdOf } from '../base/device.ts'
import { signStatement } from '../base/statement.ts'
import { NO_COMMITMENT } from './commitment.ts'
import { alice, committing, mallory, requested, second, third } from './rotation.fixture.ts'
import { type RotationRecord, rotationIdOf, rotationRecordSchema } from './rotation.ts'
import { verifyRotationRecord } from './rotation-verification.ts'

const request = await requested(alice, second, 1)
const rotationId = rotationIdOf(request.statement)
const { did, scope } = alice
const about = { did, scope, rotationId, inception: null, issuedAt: 1_790_000_000_002 }
const device = { deviceId: deviceIdOf(third.ownerPublicKey), sign: third.sign }
const byRoot = await signStatement(
  { type: 'svc/rotation-freeze/v1', realm: REALM, ...about, signedBy: 'root' },
  alice.sign,
)
const cancel = await signStatement(
  { type: 'svc/rotation-cancel/v1', realm: REALM, ...about, signedBy: 'root' as const },
  alice.sign,
)
const byDevice = await signStatement({ ...byRoot.statement, signedBy: device.deviceId }, device.sign)
const byDeviceAlone = { ...byDevice, statement: { ...byDevice.statement, successorPublicKeyB64u: undefined } }
const cosign = await signStatement(
  { type: 'svc/rotation-cosign/v1', realm: REALM, ...about, signedBy: device.deviceId },
  device.sign,
)

const pending: RotationRecord = {
  rotationId,
  kind: 'rotation',
  status: 'pending',
  basis: 'root',
  version: 2,
  epoch: 1,
  newUserId: second.scope,
  requestedAt: 1_790_000_000_001,
  deadline: 1_790_086_400_001,
  contestedAt: null,
  requiredCosigners: 1,
  cosignatures: 1,
  freezes: 0,
  cancels: 0,
  approvedAt: null,
  activatedAt: null,
  request,
  cosigned: [cosign],
  vetoes: [],
  approval: null,
}
const frozen: RotationRecord = { ...pending, status: 'frozen', freezes: 1, vetoes: [byRoot] }
const cancelled: RotationRecord = { ...pending, status: 'cancelled', cancels: 1, vetoes: [cancel] }
const genesisKey = { epoch: 0, userId: alice.scope, publicKeyB64u: alice.ownerPublicKey, commitment: NO_COMMITMENT }
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('verifyRotationRecord', () => {
  it.each([
    ['pending and co-signed', pending],
    ['frozen by the root key', frozen],
    ['cancelled', cancelled],
    ['frozen by a device, whose key it does not have', { ...pending, freezes: 1, vetoes: [byDevice] }],
    ['frozen by a device, with no key of a successor', { ...pending, freezes: 1, vetoes: [byDeviceAlone] }],
  ])('accepts a record that is %s', async (_, record) => {
    expect(rotationRecordSchema.safeParse(record).success).toBe(true)
    expect(await verifyRotationRecord(record, did, genesisKey, REALMS)).toBe(true)
  })

  it.each<[string, RotationRecord | Promise<RotationRecord>]>([
    ['under another id', { ...pending, rotationId: 'a7'.repeat(48), cosigned: [], cosignatures: 0 }],
    ['of another epoch than its request', { ...pending, epoch: 2 }],
    ['of another version than its request', { ...pending, version: 1 }],
    ['of a deactivation', { ...pending, kind: 'deactivation' }],
    [
      'of the next epoch, with a request for a later one',
      requested(alice, second, 2).then((later) => ({
        ...pending,
        request: later,
        rotationId: rotationIdOf(later.statement),
        cosigned: [],
        cosignatures: 0,
      })),
    ],
    ['for another key than its request', { ...pending, newUserId: third.scope }],
    ['with a co-signature that it does not show', { ...pending, cosignatures: 2 }],
    ['with a co-signature that it does not count', { ...pending, cosignatures: 0 }],
    ['with a veto that it does not show', { ...pending, freezes: 1 }],
    ['with a veto that it does not count', { ...frozen, freezes: 0 }],
    [
      'with a veto of another rotation',
      signStatement(
        { ...byRoot.statement, type: 'svc/rotation-freeze/v1' as const, realm: REALM, rotationId: 'a7'.repeat(48) },
        alice.sign,
      ).then((veto) => ({ ...frozen, vetoes: [veto] })),
    ],
    [
      'with a co-signature of another rotation',
      { ...pending, cosigned: [{ ...cosign, statement: { ...cosign.statement, rotationId: 'a7'.repeat(48) } }] },
    ],
    [
      'with a freeze in the name of the root key that another has signed',
      signStatement({ ...byRoot.statement, type: 'svc/rotation-freeze/v1' as const, realm: REALM }, mallory.sign).then(
        (veto) => ({
          ...frozen,
          vetoes: [veto],
        }),
      ),
    ],
    [
      'with a cancellation whose signature is broken',
      { ...cancelled, vetoes: [{ ...cancel, signatureB64u: flipped(cancel.signatureB64u) }] },
    ],
    [
      'whose request the new key did not sign',
      { ...pending, request: { ...request, newKeySignatureB64u: flipped(request.newKeySignatureB64u) } },
    ],
    [
      'whose request a stranger signed',
      requested(mallory, second, 1).then((other) => ({ ...pending, request: other })),
    ],
  ])('refuses a record %s', async (_, record) => {
    expect(await verifyRotationRecord(await record, did, genesisKey, REALMS)).toBe(false)
  })

  it('refuses a valid record of another DID, and one for another outgoing key', async () => {
    expect(await verifyRotationRecord(pending, mallory.did, genesisKey, REALMS)).toBe(false)
    const another = { ...genesisKey, userId: mallory.scope, publicKeyB64u: mallory.ownerPublicKey }
    expect(await verifyRotationRecord(pending, did, another, REALMS)).toBe(false)
    expect(await verifyRotationRecord(pending, did, { ...genesisKey, epoch: 1 }, REALMS)).toBe(false)
  })
})

describe('a record under a commitment', () => {
  const committed = { ...genesisKey, commitment: committing(second) }
  const full: RotationRecord = { ...pending, basis: 'full' }
  const holds = (record: RotationRecord, key = committed) => verifyRotationRecord(record, did, key, REALMS)
  const heir = async (by = second, named = second) => {
    const statement = {
      ...byRoot.statement,
      signedBy: 'successor',
      successorPublicKeyB64u: named.ownerPublicKey,
    } as const
    const veto = await signStatement(statement, by.sign)
    return { ...full, freezes: 1, vetoes: [veto] }
  }

  it('says what its request rests on', async () => {
    expect(await holds(full)).toBe(true)
    const alone = { ...full, basis: 'successor', request: { ...request, signatureB64u: null } } as const
    expect(await holds(alone)).toBe(true)
    for (const basis of ['root', 'successor', 'replacement'] as const)
      expect(await holds({ ...full, basis })).toBe(false)
    expect(await holds({ ...alone, basis: 'full' })).toBe(false)
    expect(await holds(full, { ...genesisKey, commitment: committing(third) })).toBe(false)
  })

  it('rests on a replacement only with the co-signature of a device', async () => {
    const replaceable = { ...genesisKey, commitment: { ...committing(third), replaceable: true } }
    const replaced = { ...pending, basis: 'replacement' } as const
    expect(await holds(replaced, replaceable)).toBe(true)
    expect(await holds({ ...replaced, cosignatures: 0, cosigned: [] }, replaceable)).toBe(false)
    expect(await holds(replaced, { ...genesisKey, commitment: committing(third) })).toBe(false)
  })

  it('holds freezes of keys that are committed, by themselves', async () => {
    expect(await holds(await heir())).toBe(true)
    expect(await holds(await heir(third))).toBe(false)
    expect(await holds(await heir(third, third))).toBe(false)
  })

  it('is not believed while nobody shows the commitment', async () => {
    expect(await verifyRotationRecord(full, did, { ...genesisKey, commitment: null }, REALMS)).toBe(false)
  })
})
