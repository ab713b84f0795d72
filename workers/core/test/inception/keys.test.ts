import { signStatement } from '@svc/protocol/base/statement'
import type { SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { callerOf, REALM, signerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller, send } from '../harness.ts'
import { approve, opened, rotated, submit } from '../rotation/rotation.fixture.ts'
import { acceptanceBy, attest, attestationOf, batch, chained, freshKeys, type Keys } from './inception.fixture.ts'

const IN_USE = { status: 409, body: { error: 'key_in_use' } }
const REVOKED = { status: 409, body: { error: 'device_revoked' } }

/** A caller with a revoked device, and that device’s keys. */
async function revoked() {
  const caller = await freshCaller()
  const keys = await freshKeys()
  const event = await attestationOf(caller, keys)
  await attest(caller, event)
  await caller.client.devices.revoke(event.statement.deviceId)
  return { caller, keys, event, deviceId: event.statement.deviceId }
}

async function genesisOf(identity: TestCaller['identity']) {
  const block = await callerOf(identity, { fetch: send }).client.chain.makeGenesis()
  return anonymous('POST', '/api/genesis/init', { block })
}

/** A rotation to any keys, which no SDK would request. */
async function requestTo(root: TestCaller['identity'], keys: Keys): Promise<SignedRotationRequest> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    realm: REALM,
    did: root.did,
    scope: root.scope,
    version: 1 as const,
    epoch: root.epoch + 1,
    newPublicKeyB64u: keys.publicKeyB64u,
    next: [] as string[],
    replaceable: false,
    nonce: crypto.randomUUID(),
    inception: null,
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, signerOf(root))
  const { signatureB64u } = await signStatement(statement, signerOf(keys))
  return { ...signed, newKeySignatureB64u: signatureB64u }
}

describe('a revoked device key', () => {
  it('cannot be attested again, nor in a batch', async () => {
    const { caller, keys } = await revoked()
    const again = await attestationOf(caller, keys)
    expect(await attest(caller, again)).toMatchObject(REVOKED)
    expect(await batch(caller, [again])).toMatchObject(REVOKED)
    expect((await caller.client.devices.head()).sequence).toBe(2)
  })

  it('cannot be attested again in the batch that revokes it', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const keys = await freshKeys()
    const event = await attestationOf(caller, keys)
    const { deviceId } = event.statement
    await attest(caller, event)
    const events = await chained(await devices.head(), [
      (head) => devices.makeChange(deviceId, { event: 'revoke' }, head),
      (head) => attestationOf(caller, keys, head),
    ])
    expect(await batch(caller, events)).toMatchObject(REVOKED)
    expect((await devices.verify()).devices).toMatchObject([{ deviceId, status: 'active' }])
  })

  it('cannot be attested again by the next root key, nor by the one after it', async () => {
    const { caller, keys } = await revoked()
    const { next } = await rotated(caller)
    expect(await attest(next, await attestationOf(next, keys))).toMatchObject(REVOKED)
    const { next: third } = await rotated(next)
    expect(await attest(third, await attestationOf(third, keys))).toMatchObject(REVOKED)
    expect((await third.client.devices.verify()).devices).toMatchObject([{ rootEpoch: 0, status: 'revoked' }])
  })

  it('can be revoked in a later epoch than its own, and stays so', async () => {
    const caller = await freshCaller()
    const keys = await freshKeys()
    const event = await attestationOf(caller, keys)
    await attest(caller, event)
    const { next } = await rotated(caller)
    await next.client.devices.revoke(event.statement.deviceId)
    expect(await attest(next, await attestationOf(next, keys))).toMatchObject(REVOKED)
  })

  it('cannot belong to another identity, alone or in a batch', async () => {
    const { keys } = await revoked()
    const other = await freshCaller()
    const event = await attestationOf(other, keys)
    expect(await attest(other, event)).toMatchObject(IN_USE)
    expect(await batch(other, [event])).toMatchObject(IN_USE)
    expect((await other.client.devices.head()).sequence).toBe(0)
  })

  it('cannot become an identity or a root key', async () => {
    const { caller, keys } = await revoked()
    expect(await genesisOf(keys)).toMatchObject({ status: 409, body: { error: 'genesis_conflict' } })
    for (const { identity } of [caller, await freshCaller()]) {
      expect(await submit(await requestTo(identity, keys))).toMatchObject(IN_USE)
    }
  })
})

describe('a device key', () => {
  it('has no identity besides the one that attested it', async () => {
    const alice = await freshCaller()
    const bob = await freshCaller()
    const keys = await freshKeys()
    expect((await attest(alice, await attestationOf(alice, keys))).status).toBe(200)
    expect(await attest(bob, await attestationOf(bob, keys))).toMatchObject(IN_USE)
    expect(await genesisOf(keys)).toMatchObject({ status: 409, body: { error: 'genesis_conflict' } })
    expect(await submit(await requestTo(alice.identity, keys))).toMatchObject(IN_USE)
  })

  it('cannot be the key of an existing identity, including the caller’s', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    for (const { identity } of [alice, bob]) {
      expect(await attest(alice, await attestationOf(alice, identity))).toMatchObject(IN_USE)
    }
    expect((await alice.client.devices.head()).sequence).toBe(0)
  })

  it('cannot be a key that a rotation activated or superseded', async () => {
    const alice = await freshCaller()
    const { next } = await rotated(alice)
    const bob = await freshCaller()
    for (const caller of [next, bob]) {
      for (const { identity } of [alice, next]) {
        expect(await attest(caller, await attestationOf(caller, identity))).toMatchObject(IN_USE)
      }
    }
  })

  it('can be the new key of a pending rotation, which then cannot be activated', async () => {
    const alice = await freshCaller()
    const keys = await alice.identity.successor()
    const { rotation } = await opened(alice, 1, keys)
    await approve(alice.identity.did, rotation.rotationId)
    const bob = await freshCaller()
    expect((await attest(bob, await attestationOf(bob, keys))).status).toBe(200)
    await expect(alice.client.rotation.activate(rotation)).rejects.toMatchObject({ status: 409, error: 'key_in_use' })
    expect((await alice.client.chain.root(alice.identity.did)).epoch).toBe(0)
  })

  it('left behind by a rotation stays in its epoch until it is attested again', async () => {
    const caller = await freshCaller()
    const keys = await freshKeys()
    const event = await attestationOf(caller, keys)
    await attest(caller, event)
    const { next } = await rotated(caller)
    const { devices } = next.client
    const { deviceId } = event.statement
    await devices.suspend(deviceId)
    await devices.resume(deviceId)
    expect((await devices.verify()).devices).toMatchObject([{ rootEpoch: 0, status: 'active' }])
    expect((await attest(next, await attestationOf(next, keys))).status).toBe(200)
    expect((await devices.verify()).devices).toMatchObject([{ rootEpoch: 1, status: 'active' }])
  })

  it('cannot be reserved without holding it', async () => {
    const [alice, mallory] = [await freshCaller(), await freshCaller()]
    const keys = await freshKeys()
    const good = await attestationOf(alice, keys)
    const stolen = await acceptanceBy(mallory.identity, mallory.identity.did, {
      deviceId: good.statement.deviceId,
      devicePublicKeyB64u: keys.publicKeyB64u,
    })
    const { client } = mallory
    const attempt = await client.devices.makeAttestation(stolen, await client.devices.head())
    expect(await attest(mallory, attempt)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    const replayed = await client.devices.makeAttestation(good.acceptance, await client.devices.head())
    expect(await attest(mallory, replayed)).toMatchObject({ status: 403, body: { error: 'device_mismatch' } })
    expect((await attest(alice, good)).status).toBe(200)
  })
})
