import { mlDsa65, mlKem768 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { deviceIdOf } from '../base/device.ts'
import { kemKeyId } from '../base/key-agreement.ts'
import { signStatement, statementHash } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import {
  openUpload,
  type Prekey,
  packageFault,
  prekeyTree,
  prekeyUploadSchema,
  revocationFault,
  verifyPrekey,
} from './packages.ts'

const NOW = 1_790_000_000_000
const alice = await signerOf(1)
const seed = new Uint8Array(32).fill(5)
const device = {
  key: encodeBase64url(await mlDsa65.publicKeyOf(seed)),
  sign: (message: Uint8Array) => mlDsa65.sign(seed, message),
}
const deviceId = deviceIdOf(device.key)
const suite = { profile: 'bound-v4', suiteId: 'mlkem768-mldsa65-sha3384' } as const
const kemKey = async (n: number) => encodeBase64url(await mlKem768.publicKeyOf(new Uint8Array(64).fill(n)))
const KEYS = await Promise.all([1, 2, 3].map(kemKey))

const keyPackage = await signStatement(
  {
    type: 'svc/key-package/v1',
    realm: REALM,
    did: alice.did,
    deviceId,
    devicePublicKeyB64u: device.key,
    ...suite,
    kemPublicKeyB64u: KEYS[0]!,
    inception: null,
    issuedAt: NOW,
  },
  device.sign,
)
const root = { did: alice.did, scope: alice.scope, rootEpoch: 0, deviceId, inception: null, issuedAt: NOW, version: 1 }
const credential = await signStatement(
  {
    type: 'svc/device-credential/v1',
    realm: REALM,
    ...root,
    ...suite,
    keyPackageHash: statementHash(keyPackage.statement),
  },
  alice.sign,
)
const { did, scope, ownerPublicKey: rootKeyB64u } = alice
const expected = { did, scope, deviceId, rootEpoch: 0, rootKeyB64u, realms: REALMS }

describe('a key package', () => {
  it('is valid if root key and device signed it', async () => {
    expect(await packageFault({ credential, keyPackage }, expected)).toBeNull()
  })

  it.each([
    ['did', { did: `did:svc:${'A'.repeat(32)}` }],
    ['scope', { scope: '0'.repeat(96) }],
    ['deviceId', { deviceId: 'A'.repeat(32) }],
  ])('is not valid for another %s', async (_, members) => {
    expect(await packageFault({ credential, keyPackage }, { ...expected, ...members })).toBe('mismatch')
  })

  it('is not valid if its credential names another package, suite or epoch', async () => {
    const other = { ...keyPackage, statement: { ...keyPackage.statement, kemPublicKeyB64u: KEYS[1]! } }
    expect(await packageFault({ credential, keyPackage: other }, expected)).toBe('mismatch')
    const open = { ...credential, statement: { ...credential.statement, profile: 'open-v4' as const } }
    expect(await packageFault({ credential: open, keyPackage }, expected)).toBe('mismatch')
    expect(await packageFault({ credential, keyPackage }, { ...expected, rootEpoch: 1 })).toBe('stale_epoch')
  })

  it('is not valid if its credential names an older event', async () => {
    const head = (sequence: number) => ({ inception: { sequence, hash: 'a7'.repeat(48) } })
    const made = async (own: object, vouching: object) => {
      const byDevice = await signStatement({ ...keyPackage.statement, ...own }, device.sign)
      const keyPackageHash = statementHash(byDevice.statement)
      const byRoot = await signStatement({ ...credential.statement, keyPackageHash, ...vouching }, alice.sign)
      return packageFault({ credential: byRoot, keyPackage: byDevice }, expected)
    }
    expect(await made(head(2), head(1))).toBe('older_head')
    expect(await made(head(1), {})).toBe('older_head')
    expect(await made(head(1), head(1))).toBeNull()
    expect(await made(head(1), head(4))).toBeNull()
  })

  it('is not valid without both signatures', async () => {
    const byDevice = await signStatement(credential.statement, device.sign)
    expect(await packageFault({ credential: byDevice, keyPackage }, expected)).toBe('invalid_signature')
    const byRoot = await signStatement(keyPackage.statement, alice.sign)
    expect(await packageFault({ credential, keyPackage: byRoot }, expected)).toBe('invalid_signature')
  })
})

describe('a revocation', async () => {
  const revocation = await signStatement({ type: 'svc/package-revocation/v1', realm: REALM, ...root }, alice.sign)

  it('is valid if the root key signed it, for this device in this epoch', async () => {
    expect(await revocationFault(revocation, expected)).toBeNull()
    expect(await revocationFault(revocation, { ...expected, deviceId: 'A'.repeat(32) })).toBe('mismatch')
    expect(await revocationFault(revocation, { ...expected, rootEpoch: 1 })).toBe('stale_epoch')
    const forged = await signStatement(revocation.statement, device.sign)
    expect(await revocationFault(forged, expected)).toBe('invalid_signature')
  })
})

describe('a batch of prekeys', async () => {
  const batchOf = (kind: 'one-time' | 'last-resort', keys: readonly string[]) =>
    signStatement(
      {
        type: 'svc/prekey-batch/v1',
        realm: REALM,
        did: alice.did,
        deviceId,
        ...suite,
        kind,
        size: keys.length,
        root: prekeyTree(keys).root,
        inception: null,
        issuedAt: NOW,
      },
      device.sign,
    )
  const batch = await batchOf('one-time', KEYS)
  const of = { did: alice.did, deviceId, devicePublicKeyB64u: device.key, realms: REALMS }
  const { proofs } = prekeyTree(KEYS)
  const prekeys: Prekey[] = KEYS.map((publicKeyB64u, index) => ({
    prekeyId: kemKeyId(publicKeyB64u),
    publicKeyB64u,
    index,
    proof: proofs[index]!,
    batch,
  }))

  it('yields the path of each key, by which the key verifies', async () => {
    expect(prekeyUploadSchema.safeParse({ batch, publicKeysB64u: KEYS }).success).toBe(true)
    expect(await openUpload({ batch, publicKeysB64u: KEYS }, of)).toEqual({ proofs })
    for (const prekey of prekeys) expect(await verifyPrekey(prekey, keyPackage, REALMS)).toBe(true)
  })

  it('is refused with other keys, another order, a duplicate key, or for another device', async () => {
    for (const publicKeysB64u of [KEYS.slice(1), KEYS.toReversed(), [...KEYS.slice(1), await kemKey(9)]]) {
      expect(await openUpload({ batch, publicKeysB64u }, of)).toEqual({ fault: 'mismatch' })
    }
    const twice = [KEYS[0]!, KEYS[0]!]
    const doubled = { batch: await batchOf('one-time', twice), publicKeysB64u: twice }
    expect(await openUpload(doubled, of)).toEqual({ fault: 'mismatch' })
    const upload = { batch, publicKeysB64u: KEYS }
    expect(await openUpload(upload, { ...of, deviceId: 'A'.repeat(32) })).toEqual({ fault: 'mismatch' })
    const other = { ...of, devicePublicKeyB64u: alice.ownerPublicKey }
    expect(await openUpload(upload, other)).toEqual({ fault: 'invalid_signature' })
  })

  it('contains at most one last-resort key', async () => {
    const two = KEYS.slice(0, 2)
    const several = { batch: await batchOf('last-resort', two), publicKeysB64u: two }
    expect(await openUpload(several, of)).toEqual({ fault: 'mismatch' })
    const one = KEYS.slice(0, 1)
    expect(await openUpload({ batch: await batchOf('last-resort', one), publicKeysB64u: one }, of)).toEqual({
      proofs: [[]],
    })
  })

  it('does not verify its keys at another index, under another id, or for another package', async () => {
    const [first, second] = prekeys as [Prekey, Prekey]
    const changed: Prekey[] = [
      { ...first, index: 1 },
      { ...first, proof: second.proof },
      { ...first, publicKeyB64u: second.publicKeyB64u, prekeyId: second.prekeyId },
      { ...first, prekeyId: second.prekeyId },
      { ...first, batch: { ...batch, signatureB64u: keyPackage.signatureB64u } },
      { ...first, batch: { ...batch, statement: { ...batch.statement, profile: 'open-v4' } } },
    ]
    for (const prekey of changed) expect(await verifyPrekey(prekey, keyPackage, REALMS)).toBe(false)
    const { statement } = keyPackage
    const foreign = { ...keyPackage, statement: { ...statement, deviceId: 'A'.repeat(32) } }
    expect(await verifyPrekey(first, foreign, REALMS)).toBe(false)
  })
})
