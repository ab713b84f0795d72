import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { jcsBytes } from '../base/jcs.ts'
import { type Signer, signerOf } from '../chain/chain.fixture.ts'
import { type GovernanceAttestation, verifyAttestations } from './attestations.ts'
import { authorizedBy, type GovernancePolicy } from './governance.ts'

const bytes = jcsBytes({ type: 'test', what: 'the thing signed' })
const otherBytes = jcsBytes({ type: 'test', what: 'another thing' })
const alice = await signerOf(1)
const bob = await signerOf(2)
const carol = await signerOf(3)
const mallory = await signerOf(4)

const policy: GovernancePolicy = {
  version: 'v1',
  threshold: 2,
  signers: [
    { id: 'alice', publicKeyB64u: alice.ownerPublicKey },
    { id: 'bob', publicKeyB64u: bob.ownerPublicKey, role: 'chair' },
    { id: 'carol', publicKeyB64u: carol.ownerPublicKey },
  ],
}

async function by({ ownerPublicKey, sign }: Signer, message = bytes): Promise<GovernanceAttestation> {
  const signatureB64u = encodeBase64url(await sign(message))
  return { alg: 'ml-dsa-65', publicKeyB64u: ownerPublicKey, signatureB64u }
}

const [byAlice, byBob, byCarol, byMallory] = [await by(alice), await by(bob), await by(carol), await by(mallory)]
/** The same signature with one bit of its first byte flipped. */
const broken = (attestation: GovernanceAttestation): GovernanceAttestation => {
  const { signatureB64u } = attestation
  const first = signatureB64u.startsWith('A') ? 'B' : 'A'
  return { ...attestation, signatureB64u: first + signatureB64u.slice(1) }
}
const [otherByBob, secondByAlice] = [await by(bob, otherBytes), await by(alice)]
/** One byte longer than a signature or key. */
const longer = (text: string) => encodeBase64url(new Uint8Array(text.length === 2603 ? 1953 : 3310))

describe('verifyAttestations', () => {
  it('returns the signers’ userIds in order', async () => {
    expect(await verifyAttestations([byBob, byAlice], bytes)).toEqual({ ok: true, value: [bob.scope, alice.scope] })
    expect(await verifyAttestations([], bytes)).toEqual({ ok: true, value: [] })
  })

  it('accepts a key only once, even with another valid signature', async () => {
    for (const second of [byAlice, secondByAlice, { ...secondByAlice, signedAt: '2026-10-23T10:00:00Z' }]) {
      expect(await verifyAttestations([byAlice, second], bytes)).toEqual({
        ok: false,
        error: { reason: 'duplicate_signer' },
      })
    }
  })

  it.each<[string, GovernanceAttestation]>([
    ['over other bytes', otherByBob],
    ['with a flipped bit', broken(byBob)],
    ['of another key', { ...byBob, publicKeyB64u: carol.ownerPublicKey }],
    ['that is too long', { ...byBob, signatureB64u: longer(byBob.signatureB64u) }],
    ['that is too short', { ...byBob, signatureB64u: 'AAAA' }],
    ['with a stray bit at its end', { ...byBob, signatureB64u: `${byBob.signatureB64u}A` }],
    ['under a key that is too long', { ...byBob, publicKeyB64u: longer(byBob.publicKeyB64u) }],
    ['under a key that is too short', { ...byBob, publicKeyB64u: 'AAAA' }],
  ])('refuses a signature %s next to a valid one', async (_, bad) => {
    for (const attestations of [
      [byAlice, bad],
      [bad, byAlice],
    ]) {
      expect(await verifyAttestations(attestations, bytes)).toEqual({
        ok: false,
        error: { reason: 'invalid_signature' },
      })
    }
  })
})

describe('bytes that carry a time', () => {
  const bytesAt = (issuedAt: number) => jcsBytes({ type: 'test', issuedAt })
  const TIME = Date.parse('2026-10-23T10:00:00Z')
  const dated = async (signedAt?: string): Promise<GovernanceAttestation> => {
    const attestation = await by(alice, bytesAt(TIME))
    return signedAt === undefined ? attestation : { ...attestation, signedAt }
  }

  it.each(['2026-10-23T10:00:00Z', '2026-10-23T10:00:00.000Z', '2026-10-23T12:00:00+02:00'])(
    'verify at %s',
    async (signedAt) => {
      expect(await verifyAttestations([await dated(signedAt)], bytesAt)).toEqual({ ok: true, value: [alice.scope] })
    },
  )

  it.each([undefined, '2026-10-23T10:00:00.001Z', '2026-10-23T09:59:59Z', '1969-10-23T10:00:00Z', 'yesterday'])(
    'are refused at %s',
    async (signedAt) => {
      expect(await verifyAttestations([await dated(signedAt)], bytesAt)).toEqual({
        ok: false,
        error: { reason: 'invalid_signature' },
      })
    },
  )
})

describe('bytes that differ by realm', () => {
  const TIME = Date.parse('2026-10-23T10:00:00Z')
  const bytesIn = (realm: string) => (issuedAt: number) => jcsBytes({ type: 'test', realm, issuedAt })
  const dated = async (signer: Signer, realm: string): Promise<GovernanceAttestation> => ({
    ...(await by(signer, bytesIn(realm)(TIME))),
    signedAt: '2026-10-23T10:00:00Z',
  })

  it('verify in each realm of the list, and in no other', async () => {
    const attested = [bytesIn('https://new.test'), bytesIn('https://old.test')]
    const [inNew, inOld] = [await dated(alice, 'https://new.test'), await dated(bob, 'https://old.test')]
    expect(await verifyAttestations([inNew, inOld], attested)).toEqual({ ok: true, value: [alice.scope, bob.scope] })
    const refusal = { ok: false, error: { reason: 'invalid_signature' } }
    expect(await verifyAttestations([inNew, await dated(bob, 'https://other.test')], attested)).toEqual(refusal)
    expect(await verifyAttestations([inNew], [])).toEqual(refusal)
  })
})

describe('authorizedBy', () => {
  const outcome = async (attestations: readonly GovernanceAttestation[], members: Partial<GovernancePolicy> = {}) => {
    const authorized = await authorizedBy({ ...policy, ...members }, attestations, bytes)
    return authorized.ok ? authorized.value : authorized.error.reason
  }

  it('returns the ids of enough distinct signers, or more', async () => {
    expect(await outcome([byAlice, byCarol])).toEqual(['alice', 'carol'])
    expect(await outcome([byCarol, byBob, byAlice])).toEqual(['carol', 'bob', 'alice'])
    expect(await outcome([byBob], { threshold: 1 })).toEqual(['bob'])
    expect(await outcome([byAlice, byBob, byCarol], { threshold: 3 })).toEqual(['alice', 'bob', 'carol'])
  })

  it('refuses fewer', async () => {
    expect(await outcome([byAlice])).toBe('threshold_not_met')
    expect(await outcome([byAlice, byBob], { threshold: 3 })).toBe('threshold_not_met')
    expect(await outcome([], { threshold: 1 })).toBe('threshold_not_met')
  })

  it('counts no signer twice', async () => {
    expect(await outcome([byAlice, byAlice])).toBe('duplicate_signer')
    expect(await outcome([byAlice, secondByAlice])).toBe('duplicate_signer')
    expect(await outcome([byAlice, byBob, byAlice])).toBe('duplicate_signer')
  })

  it('refuses an outsider, alone, beside enough signers and twice', async () => {
    expect(await outcome([byMallory])).toBe('unknown_signer')
    expect(await outcome([byAlice, byBob, byMallory])).toBe('unknown_signer')
    expect(await outcome([byAlice, byMallory])).toBe('unknown_signer')
    expect(await outcome([byMallory, byMallory])).toBe('duplicate_signer')
  })

  it('rejects a signer’s key in another encoding', async () => {
    expect(await outcome([byAlice, { ...byBob, publicKeyB64u: `${byBob.publicKeyB64u}A` }])).toBe('unknown_signer')
  })

  it('refuses an invalid signature, even beyond the threshold', async () => {
    expect(await outcome([byAlice, broken(byBob)])).toBe('invalid_signature')
    expect(await outcome([byAlice, byBob, broken(byCarol)])).toBe('invalid_signature')
    expect(await outcome([byAlice, otherByBob])).toBe('invalid_signature')
    const swapped = [
      { ...byAlice, signatureB64u: byBob.signatureB64u },
      { ...byBob, signatureB64u: byAlice.signatureB64u },
    ]
    expect(await outcome(swapped)).toBe('invalid_signature')
  })
})
