import { mlDsa65 } from '@svc/pqc'
import { bytesOf } from '@svc/protocol/base/base64url'
import { hashTextHex as hashOf } from '@svc/protocol/base/hash'
import { type Json, jcsBytes } from '@svc/protocol/base/jcs'
import { verifyStatement } from '@svc/protocol/base/statement'
import { deactivationSchema } from '@svc/protocol/chain/deactivation'
import { signedMessageSchema } from '@svc/protocol/statements/message'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.ts'
import { KeyHistory } from '../chain/key-history.ts'
import { Client } from '../client.ts'
import * as sdk from '../index.ts'
import { Provenance } from '../provenance/provenance.ts'
import { Transport } from '../transport/transport.ts'
import { Device } from './device.ts'
import { Identity } from './identity.ts'
import { signerOf } from './signing-key.ts'
import { safeVerifyMessage, verifyMessage } from './verify-message.ts'

const NOW = 1_790_000_000_000
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const mallory = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(3), kem: new Uint8Array(32).fill(4) })
const about = { realm: REALM, audience: 'login.example.com', now: NOW }
const expected = {
  did: alice.did,
  keys: [alice],
  audience: 'login.example.com',
  realms: REALMS,
}
/** What a thief would have an owner sign. */
const deactivation = {
  type: 'svc/did-deactivate/v1',
  realm: REALM,
  did: alice.did,
  scope: alice.scope,
  epoch: 0,
  inception: null,
  issuedAt: NOW,
} as const

describe('signMessage', () => {
  it.each(['a login challenge', '', new TextEncoder().encode('bytes'), new Uint8Array()])(
    'signs %j for its audience',
    async (content) => {
      const signed = await alice.signMessage({ ...about, content })
      expect(signedMessageSchema.parse(signed)).toEqual(signed)
      expect(await verifyMessage(JSON.parse(JSON.stringify(signed)), { ...expected, content })).toEqual({
        ...signed,
        signer: 'active',
      })
    },
  )

  it.each<[string, object, string]>([
    ['identity', { did: mallory.did }, 'wrong_identity'],
    ['key', { keys: [mallory] }, 'wrong_key'],
    ['audience', { audience: 'login.other.example' }, 'mismatch'],
    ['deployment', { realms: ['https://core.other.test'] }, 'wrong_realm'],
    ['text', { content: 'another challenge' }, 'mismatch'],
    ['content: bytes are not their text', { content: new TextEncoder().encode('a challenge') }, 'mismatch'],
  ])('is not verified for another %s', async (_, members, reason) => {
    const signed = await alice.signMessage({ ...about, content: 'a challenge' })
    const verified = await safeVerifyMessage(signed, { ...expected, content: 'a challenge', ...members })
    expect(verified).toMatchObject({ ok: false, error: { subject: 'message', reason } })
  })

  it('is not verified once it was changed, and each has a nonce of its own', async () => {
    const signed = await alice.signMessage({ ...about, content: 'a challenge' })
    const again = await alice.signMessage({ ...about, content: 'a challenge' })
    expect(again.statement.nonce).not.toBe(signed.statement.nonce)
    const later = { ...signed, statement: { ...signed.statement, issuedAt: NOW + 1 } }
    const mixed = { ...signed, statement: again.statement }
    const byMallory = { ...signed, publicKeyB64u: mallory.publicKeyB64u }
    for (const changed of [later, mixed, byMallory, { ...signed, statement: { ...signed.statement, x: 1 } }, null, 5]) {
      expect((await safeVerifyMessage(changed, { ...expected, content: 'a challenge' })).ok).toBe(false)
    }
  })

  it.each([
    { audience: '' },
    { audience: 'two words' },
    { nonce: 'short' },
    { realm: `${REALM}/` },
    { realm: `https://${'a'.repeat(250)}` },
    { content: 'x'.repeat(65_537) },
    { now: -1 },
    { now: 0.5 },
  ])('refuses members that are not of the form: %j', async (members) => {
    await expect(alice.signMessage({ ...about, content: 'x', ...members })).rejects.toMatchObject({ name: 'TypeError' })
  })

  it('signs as a device of an identity, and not before it belongs to one', async () => {
    const device = await Device.create({ origin: 'app:test', capabilities: [] })
    await expect(device.signMessage({ ...about, content: 'x' })).rejects.toThrow('The device has no identity yet')
  })

  it('names the newest event that its signer knew, which is the attestation of a device at least', async () => {
    const inception = { sequence: 3, hash: 'ab'.repeat(48) }
    expect((await alice.signMessage({ ...about, content: 'x', inception })).statement.inception).toEqual(inception)
    expect((await alice.signMessage({ ...about, content: 'x' })).statement.inception).toBeNull()
    const { did, scope, userId } = alice
    const membership = { did, scope, userId, rootEpoch: 0, origin: 'app:test', capabilities: [], inception }
    const seeds = { signing: new Uint8Array(32).fill(5), kem: new Uint8Array(32).fill(6) }
    const device = await Device.fromSeeds(seeds, { origin: 'app:test', capabilities: [] }, membership)
    const signed = await device.signMessage({ ...about, content: 'x' })
    expect(signed.statement.inception).toEqual(inception)
    const later = { sequence: 4, hash: 'cd'.repeat(48) }
    const again = await device.signMessage({ ...about, content: 'x', inception: later })
    expect(again.statement.inception).toEqual(later)
    const known = { ...expected, content: 'x', deviceKeysB64u: [device.devicePublicKeyB64u] }
    expect(await verifyMessage(signed, known)).toMatchObject({ signer: 'active' })
    expect(await safeVerifyMessage(signed, { ...expected, content: 'x' })).toMatchObject({
      ok: false,
      error: { reason: 'wrong_key' },
    })
  })
})

describe('a message of a key that has ended', () => {
  const next = { epoch: 1, userId: mallory.userId, publicKeyB64u: mallory.publicKeyB64u }
  const keys = [{ epoch: 0, userId: alice.userId, publicKeyB64u: alice.publicKeyB64u }, next]

  it('counts only for a reader who had it before the end', async () => {
    const signed = await alice.signMessage({ ...about, content: 'a promise' })
    const now = { ...expected, keys, content: 'a promise' }
    const failed = { ok: false, error: { subject: 'message', reason: 'unordered' } }
    expect(await safeVerifyMessage(signed, now)).toMatchObject(failed)
    const late = { ...now, followedAt: { epoch: 1, sequence: null, before: null } }
    expect(await safeVerifyMessage(signed, late)).toMatchObject(failed)
    const early = { ...now, followedAt: { epoch: 0, sequence: null, before: null } }
    expect(await verifyMessage(signed, early)).toEqual({ ...signed, signer: 'superseded' })
  })

  it('is refused if it names an event that the key cannot have known', async () => {
    const [first, second] = [hashOf('genesis'), hashOf('an event of the next key')]
    const steps = [
      { hash: first, rootEpoch: 0, issuedAt: 0, device: null },
      { hash: second, rootEpoch: 1, issuedAt: NOW, device: null },
    ]
    const followedAt = { epoch: 0, sequence: 0, before: null }
    const reasonFor = async (inception: { sequence: number; hash: string }) => {
      const signed = await alice.signMessage({ ...about, content: 'x', inception })
      const read = await safeVerifyMessage(signed, { ...expected, keys, steps, followedAt, content: 'x' })
      return read.ok ? read.value.signer : read.error.reason
    }
    expect(await reasonFor({ sequence: 0, hash: first })).toBe('superseded')
    expect(await reasonFor({ sequence: 1, hash: second })).toBe('not_entitled')
    expect(await reasonFor({ sequence: 1, hash: first })).toBe('unknown_head')
  })
})

describe('what an outsider may have signed', () => {
  const bytes = jcsBytes(deactivation)
  const text = new TextDecoder().decode(bytes)

  it('is a deactivation if a key signs it as it is', async () => {
    expect(deactivationSchema.safeParse(deactivation).success).toBe(true)
    const signatureB64u = await mlDsa65.sign(alice.revealSeeds().signing, bytes)
    expect(await mlDsa65.verify(bytesOf(alice.publicKeyB64u), bytes, signatureB64u)).toBe(true)
  })

  it.each<[string, string | Uint8Array]>([
    ['text', text],
    ['bytes', bytes],
  ])('ends as a message and never as the deactivation that its %s is', async (_, content) => {
    const { statement, signatureB64u } = await alice.signMessage({ ...about, content })
    expect(statement.type).toBe('svc/message/v1')
    const key = bytesOf(alice.publicKeyB64u)
    expect(await verifyStatement({ statement: deactivation, signatureB64u }, key, REALMS)).toBe(false)
    expect(await mlDsa65.verify(key, bytes, bytesOf(signatureB64u))).toBe(false)
  })

  it('reaches no function that signs bytes: neither a member of a key nor an export', () => {
    const members = [Identity, Device].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
    expect(members.filter((name) => name.startsWith('sign'))).toEqual(['signMessage', 'signMessage'])
    expect(Object.keys(sdk).filter((name) => /sign(er|ing)?(of|key|statement|block|payload)?$/i.test(name))).toEqual([])
  })

  it.each(['statement', 'block', 'assertion', 'consent', 'attestation'] as const)(
    'is refused as %s within the package unless it is one',
    async (kind) => {
      for (const content of [new TextEncoder().encode('a login challenge'), new Uint8Array(), new Uint8Array([0xff])]) {
        await expect(signerOf(alice, kind)(content)).rejects.toThrow(`These bytes are not of kind ${kind}`)
      }
      if (kind !== 'statement')
        await expect(signerOf(alice, kind)(bytes)).rejects.toThrow(`These bytes are not of kind ${kind}`)
    },
  )

  it('is refused where a statement of somebody else is signed', async () => {
    const nothing = () => Promise.reject(new Error('nothing is sent'))
    const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice, fetch: nothing })
    const forged = deactivation as never
    await expect(client.organization.approve(forged)).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'malformed',
    })
    await expect(client.organization.incept(forged, [])).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'malformed',
    })
    await expect(client.organization.rotateOfficers(forged, { approvals: [], acceptances: [] })).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'malformed',
    })
    await expect(client.governance.attest(forged)).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'malformed',
    })
  })

  it('cannot rename a capsule', async () => {
    const [core, did, base] = ['https://core.test', 'https://did.test', 'https://p.test']
    const client = new Client({ core, did, provenance: base, identity: alice })
    const facts = { kind: 'image', mime: 'image/png', ...(deactivation as object) } as never
    await expect(client.provenance.sign(new Uint8Array([1]), facts)).rejects.toMatchObject({ name: 'ArgumentError' })
    const transport = new Transport({ realm: core })
    const keys = new KeyHistory(transport, core)
    const provenance = new Provenance({ transport, base, owner: alice, keys })
    await expect(provenance.sign(new Uint8Array([1]), facts)).rejects.toThrow('Nothing was signed')
  })

  it('needs a key of this package', () => {
    const pretender = { did: alice.did, publicKeyB64u: alice.publicKeyB64u, sign: async () => new Uint8Array(3309) }
    expect(() => signerOf(pretender)).toThrow('Only an `Identity` or a `Device` of this package can sign')
    expect(jcsBytes(deactivation as unknown as Json)).toEqual(bytes)
  })
})
