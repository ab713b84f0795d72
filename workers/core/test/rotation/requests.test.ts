import { deviceIdOf } from '@svc/protocol/base/device'
import { didOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import { type GenesisBlock, signBlock } from '@svc/protocol/chain/chain'
import type { SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { REALM, signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller } from '../harness.ts'
import { internal, memberOf, opened, requestBy, rotated, submit } from './rotation.fixture.ts'

/** Rejected, and nothing of it is stored. */
async function expectRefused(did: string, signed: SignedRotationRequest, status: number, error: string, details = {}) {
  const refused = await internal('POST', `/api/internal/rotation/${did}?caller=${did}`, { body: signed })
  expect(refused).toMatchObject({ status, body: { error, ...details } })
}

describe('a rotation request is rejected', () => {
  it('without the signature of the current root key', async () => {
    const [{ identity, client }, stranger] = [await freshCaller(), await freshCaller()]
    const signed = await requestBy(identity, await identity.successor(), { byRoot: stranger.identity })
    await expectRefused(identity.did, signed, 403, 'invalid_signature')
    expect((await client.rotation.current()).latest).toBeNull()
  })

  it('without the signature of the new key: nobody is put into another’s rotation', async () => {
    const { identity, client } = await freshCaller()
    const [next, other] = [await identity.successor(), await identity.successor()]
    const signed = await requestBy(identity, next, { byNewKey: other })
    await expectRefused(identity.did, signed, 403, 'invalid_signature')
    expect((await client.rotation.current()).latest).toBeNull()
  })

  it('when it is about another DID than the path, or another scope', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const signed = await requestBy(alice.identity, await alice.identity.successor())
    await expectRefused(bob.identity.did, signed, 403, 'owner_mismatch')
    const mixed = await requestBy(alice.identity, await alice.identity.successor(), {
      statement: { scope: bob.identity.scope },
    })
    await expectRefused(alice.identity.did, mixed, 403, 'owner_mismatch')
    for (const { client } of [alice, bob]) expect((await client.rotation.current()).latest).toBeNull()
  })

  it.each([2, 7])('for epoch %i while the root is at 0', async (epoch) => {
    const { identity, client } = await freshCaller()
    const signed = await requestBy(identity, await identity.successor(), { statement: { epoch } })
    await expectRefused(identity.did, signed, 409, 'stale_epoch', { details: { epoch: 0 } })
    expect((await client.rotation.current()).latest).toBeNull()
  })

  it('for an epoch that is over, also when the key that ended it has signed', async () => {
    const caller = await freshCaller()
    const { successor, next } = await rotated(caller)
    const late = await requestBy(caller.identity, await caller.identity.successor())
    await expectRefused(caller.identity.did, late, 409, 'stale_epoch', { details: { epoch: 1 } })
    const backdated = await requestBy(successor, await successor.successor(), { statement: { epoch: 1 } })
    await expectRefused(caller.identity.did, backdated, 409, 'stale_epoch', { details: { epoch: 1 } })
    expect((await next.client.rotation.current()).latest?.status).toBe('active')
  })

  it('by a superseded key for the next epoch', async () => {
    const caller = await freshCaller()
    await rotated(caller)
    const signed = await requestBy(caller.identity, await caller.identity.successor(), { statement: { epoch: 2 } })
    await expectRefused(caller.identity.did, signed, 403, 'invalid_signature')
  })
})

describe('a new key is rejected', () => {
  it('when it is the current root key', async () => {
    const { identity } = await freshCaller()
    await expectRefused(identity.did, await requestBy(identity, identity), 409, 'key_in_use')
  })

  it('when it was the root key before, also long before', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const second = await rotated(caller)
    await expectRefused(did, await requestBy(second.successor, caller.identity), 409, 'key_in_use')
    const third = await rotated(second.next)
    for (const earlier of [caller.identity, second.successor]) {
      await expectRefused(did, await requestBy(third.successor, earlier), 409, 'key_in_use')
    }
  })

  it('when it is the root key of another identity, by genesis or by rotation', async () => {
    const [alice, bob, carol] = [await freshCaller(), await freshCaller(), await freshCaller()]
    const { successor } = await rotated(carol)
    for (const taken of [bob.identity, successor, carol.identity]) {
      await expectRefused(alice.identity.did, await requestBy(alice.identity, taken), 409, 'key_in_use')
    }
    expect((await alice.client.rotation.current()).latest).toBeNull()
  })

  it('when it is the key of a device, of whichever identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    for (const { device } of [await memberOf(alice), await memberOf(bob)]) {
      const key = { publicKeyB64u: device.devicePublicKeyB64u, sign: signerOf(device) }
      await expectRefused(alice.identity.did, await requestBy(alice.identity, key), 409, 'key_in_use')
    }
  })

  it('as an identity of its own, once it is a root key by rotation', async () => {
    const { successor, next } = await rotated(await freshCaller())
    const { signature: _, ...block } = await (await freshCaller({ genesis: false })).client.chain.makeGenesis()
    const genesis = await signBlock<GenesisBlock>(
      { ...block, ownerPublicKey: successor.publicKeyB64u, scope: successor.userId },
      signerOf(successor),
    )
    expect(await anonymous('POST', '/api/genesis/init', { block: genesis })).toMatchObject({
      status: 409,
      body: { error: 'genesis_conflict' },
    })
    expect((await anonymous('GET', `/api/chain/root/${didOf(successor.userId)}`)).status).toBe(404)
    expect((await next.client.chain.head()).did).toBe(successor.did)
  })

  it('as a device of anybody, once it is a root key by rotation', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { successor } = await rotated(alice)
    const acceptance = await signStatement(
      {
        type: 'svc/device-acceptance/v1',
        realm: REALM,
        did: bob.identity.did,
        deviceId: deviceIdOf(successor.publicKeyB64u),
        devicePublicKeyB64u: successor.publicKeyB64u,
        kemPublicKeyB64u: successor.kemPublicKeyB64u,
        x25519B64u: successor.x25519B64u,
        origin: 'app:tests',
        capabilities: [],
        inception: null,
        issuedAt: Date.now(),
      },
      signerOf(successor),
    )
    await expect(bob.client.devices.attest(acceptance)).rejects.toMatchObject({ status: 409, error: 'key_in_use' })
  })
})

describe('a request of a bad shape', () => {
  it.each<[string, (signed: SignedRotationRequest) => unknown]>([
    ['without the new key’s signature', (s) => ({ ...s, newKeySignatureB64u: undefined })],
    [
      'that is a rehearsal',
      (s) => ({ ...s, statement: { ...s.statement, type: 'svc/rotation-rehearsal/v1', realm: REALM } }),
    ],
    ['with a member that nobody checks', (s) => ({ ...s, statement: { ...s.statement, deadline: 0 } })],
    [
      'that does not say who may follow',
      (s) => {
        const { next: _, ...statement } = s.statement
        return { ...s, statement }
      },
    ],
    [
      'that names a successor twice',
      (s) => ({ ...s, statement: { ...s.statement, next: ['a7'.repeat(48), 'a7'.repeat(48)] } }),
    ],
    [
      'that names nobody and lets that be replaced',
      (s) => ({ ...s, statement: { ...s.statement, replaceable: true } }),
    ],
    ['of version 3', (s) => ({ ...s, statement: { ...s.statement, version: 3 } })],
    ['with a short key', (s) => ({ ...s, statement: { ...s.statement, newPublicKeyB64u: 'AAAA' } })],
  ])('%s is 400', async (_, change) => {
    const { identity } = await freshCaller()
    const body = change(await requestBy(identity, await identity.successor()))
    const path = `/api/internal/rotation/${identity.did}?caller=${identity.did}`
    expect(await internal('POST', path, { body })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^body/) },
    })
  })
})

describe('the internal side', () => {
  it('polls the newest rotation, and is 404 where there never was one', async () => {
    const caller = await freshCaller()
    const path = `/api/internal/rotation/${caller.identity.did}`
    expect(await internal('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const { rotation } = await opened(caller, 2)
    expect(await internal('GET', path)).toEqual({ status: 200, body: rotation })
  })

  it('is not on the public hostname', async () => {
    const { identity } = await freshCaller()
    const signed = await requestBy(identity, await identity.successor())
    const path = `/api/internal/rotation/${identity.did}?caller=${identity.did}`
    expect(await anonymous('POST', path, signed)).toMatchObject({ status: 404 })
    expect((await submit(signed)).status).toBe(200)
  })
})
