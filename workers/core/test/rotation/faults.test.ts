import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { didOf } from '@svc/protocol/base/identity'
import { type GenesisBlock, signBlock } from '@svc/protocol/chain/chain'
import type { TestCaller } from '@svc/testing'
import { signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller, sendWith } from '../harness.ts'
import {
  approve,
  at,
  cosignerOf,
  type Identity,
  internal,
  interposed,
  memberOf,
  type Opened,
  opened,
  requestBy,
  submit,
} from './rotation.fixture.ts'

const ACTIVATE = '/api/chain/rotation/v2/activate'
const dies = () => {
  throw new Error('the Worker dies here')
}
const UNAVAILABLE = { status: 503, body: { success: false, error: 'dependency_unavailable' } }

afterEach(() => {
  vi.useRealTimers()
})

/** Evicts both objects that an activation involves, with everything they cache. */
async function restart({ did }: Identity, successor: Identity): Promise<void> {
  for (const name of [did, didOf(successor.userId)]) {
    const object = env.IDENTITIES.getByName(name)
    await object.read()
    await evictDurableObject(object)
  }
}

/** A rotation whose waiting period is over, and an activation of it that is interrupted. */
async function died(where: 'before' | 'after', step: string): Promise<Opened & { readonly caller: TestCaller }> {
  const caller = await freshCaller()
  const open = await opened(caller, 2)
  at(open.rotation.deadline ?? 0)
  const { rotationId } = open.rotation
  const dying = sendWith(interposed({ [where]: { [step]: dies } }))
  expect(await call(caller, 'POST', ACTIVATE, { rotationId }, dying)).toMatchObject(UNAVAILABLE)
  return { caller, ...open }
}

async function genesisBy(key: Identity, template: TestCaller) {
  const { signature: _, ...block } = await template.client.chain.makeGenesis()
  const own = { ...block, ownerPublicKey: key.publicKeyB64u, scope: key.userId }
  const signed = await signBlock<GenesisBlock>(own, signerOf(key))
  return anonymous('POST', '/api/genesis/init', { block: signed })
}

const UNFINISHED = [
  ['before', 'prepareActivation'],
  ['after', 'prepareActivation'],
  ['before', 'reserve'],
  ['after', 'reserve'],
  ['before', 'activateRotation'],
] as const

describe.each(UNFINISHED)('an activation that dies %s %s', (where, step) => {
  it('leaves the rotation pending under the old key', async () => {
    const { caller, rotation, next } = await died(where, step)
    expect((await caller.client.rotation.current()).latest).toEqual(rotation)
    expect((await caller.client.chain.root(caller.identity.did)).epoch).toBe(0)
    expect((await call(next, 'GET', '/api/chain/head')).status).toBe(401)
  })

  it('finishes when it is called again, also after both objects were restarted', async () => {
    const { caller, rotation, successor, next } = await died(where, step)
    await restart(caller.identity, successor)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
    await restart(caller.identity, successor)
    expect((await next.client.chain.head()).did).toBe(caller.identity.did)
    expect((await call(caller, 'GET', '/api/chain/head')).status).toBe(401)
  })

  it('can be cancelled by the root key, and requested again with the same new key', async () => {
    const { caller, rotation, successor } = await died(where, step)
    await restart(caller.identity, successor)
    expect((await caller.client.rotation.cancel(rotation.rotationId)).status).toBe('cancelled')
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({ error: 'rotation_not_pending' })
    const again = await opened(caller, 2, successor)
    at(again.rotation.deadline ?? 0)
    expect((await caller.client.rotation.activate(again.rotation)).status).toBe('active')
  })
})

describe('an activation that dies after it reserved its key', () => {
  it('leaves a key that only this identity can use', async () => {
    const { caller, rotation, successor } = await died('after', 'reserve')
    const bob = await freshCaller()
    await restart(caller.identity, successor)
    expect(await genesisBy(successor, bob)).toMatchObject({ status: 409, body: { error: 'genesis_conflict' } })
    const theirs = await requestBy(bob.identity, successor)
    expect(await submit(theirs)).toMatchObject({ status: 409, body: { error: 'key_in_use' } })
    await caller.client.rotation.cancel(rotation.rotationId)
    expect(await submit(theirs)).toMatchObject({ status: 409, body: { error: 'key_in_use' } })
    expect(await internal('GET', `/api/internal/key-scope/${successor.userId}`)).toMatchObject({ status: 404 })
  })
})

describe('an activation that dies after the key has changed', () => {
  it.each([
    ['after', 'activateRotation'],
    ['before', 'deviceIds'],
  ] as const)('%s %s: the new key finds it done, and the old one is superseded', async (where, step) => {
    const caller = await freshCaller()
    const { rotation, successor, next } = await opened(caller, 2)
    const { rotationId } = rotation
    at(rotation.deadline ?? 0)
    const dying = sendWith(interposed({ [where]: { [step]: dies } }))
    const answer = await call(caller, 'POST', ACTIVATE, { rotationId }, dying)
    // What a cache says of the old devices is not worth an answer: it ends by itself.
    expect(answer.status).toBe(step === 'deviceIds' ? 200 : 503)
    await restart(caller.identity, successor)
    expect((await call(caller, 'POST', ACTIVATE, { rotationId })).status).toBe(401)
    const active = await next.client.rotation.activate(rotation)
    expect(active).toMatchObject({ status: 'active', activatedAt: rotation.deadline })
    expect(await next.client.rotation.current()).toEqual({ active, latest: active })
    expect((await next.client.keyHistory.of(caller.identity.did)).at(-1)?.userId).toBe(successor.userId)
  })

  it('is done although the cache cannot forget the devices', async () => {
    const caller = await freshCaller()
    await memberOf(caller)
    const { rotationId } = (await opened(caller, 1)).rotation
    await approve(caller.identity.did, rotationId)
    const cache = { delete: () => Promise.reject(new Error('KV is down')) }
    const path = '/api/chain/rotation/activate'
    expect(await call(caller, 'POST', path, { rotationId }, sendWith({ CACHE: cache }))).toMatchObject({
      status: 200,
      body: { data: { status: 'active' } },
    })
  })
})

describe('a new key that gets an identity while its rotation is pending', () => {
  it('stops the activation, and the root key cancels it', async () => {
    const caller = await freshCaller()
    const { rotation, successor } = await opened(caller, 2)
    expect((await genesisBy(successor, await freshCaller({ genesis: false }))).status).toBe(200)
    at(rotation.deadline ?? 0)
    await expect(caller.client.rotation.activate(rotation)).rejects.toMatchObject({ status: 409, error: 'key_in_use' })
    expect((await caller.client.rotation.current()).latest).toEqual(rotation)
    expect((await caller.client.rotation.cancel(rotation.rotationId)).status).toBe('cancelled')
    expect((await opened(caller, 2)).rotation.status).toBe('pending')
  })
})

describe('when objects are restarted between all steps', () => {
  it('a rotation comes to its end', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation, successor, next } = await opened(caller, 2)
    await restart(caller.identity, successor)
    await phone.client.rotation.cosign(rotation)
    await restart(caller.identity, successor)
    at(rotation.deadline ?? 0)
    expect(await caller.client.rotation.activate(rotation)).toMatchObject({ status: 'active', cosignatures: 1 })
    await restart(caller.identity, successor)
    await next.client.chain.append({})
    await restart(caller.identity, successor)
    expect(await next.client.chain.verify()).toMatchObject({ index: '1' })
    expect((await next.client.devices.verify()).devices).toMatchObject([{ rootEpoch: 0, status: 'active' }])
  })
})
