import type { RootKeyEvidence, RotationRecord } from '@svc/protocol/chain/rotation'
import { callerOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { cosignerOf, opened, rotated } from './rotation.fixture.ts'

/** A reader for whom the answers of one path are altered. */
function deceived({ identity }: TestCaller, path: RegExp, change: (data: never) => unknown): TestCaller['client'] {
  const fetch = async (request: Request) => {
    const response = await send(request)
    if (!path.test(new URL(request.url).pathname)) return response
    const body = await response.json<{ data: never }>()
    return Response.json({ ...body, data: change(body.data) })
  }
  return callerOf(identity, { fetch }).client
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a reader who does not trust core', () => {
  const HISTORY = /\/history$/
  const withoutLater = (data: { keys: RootKeyEvidence[] }) => ({ ...data, keys: data.keys.slice(0, 1) })
  const OF_NOBODY = 'The root keys do not match the DID'

  it.each<[string, (data: { keys: RootKeyEvidence[]; next: number | null }) => unknown, string]>([
    ['leaves out the genesis key', (d) => ({ ...d, keys: d.keys.slice(1) }), `${OF_NOBODY}: bad_genesis at 0`],
    ['leaves out a rotation', (d) => ({ ...d, keys: d.keys.toSpliced(1, 1) }), `${OF_NOBODY}: broken_link at 1`],
    [
      'gives no request for a key',
      (d) => ({ ...d, keys: d.keys.map((key) => ({ ...key, request: null })) }),
      `${OF_NOBODY}: broken_link at 1`,
    ],
    [
      'changes what was signed',
      (d) => ({
        ...d,
        keys: d.keys.map((key) =>
          key.request && key.epoch === 2
            ? { ...key, request: { ...key.request, statement: { ...key.request.statement, version: 2 } } }
            : key,
        ),
      }),
      `${OF_NOBODY}: invalid_signature at 2`,
    ],
    ['gives nothing', (d) => ({ ...d, keys: [] }), `${OF_NOBODY}: empty at 0`],
    ['skips keys between its pages', (d) => ({ ...d, next: 7 }), 'Core left out root keys'],
  ])('sees that it %s', async (_, change, message) => {
    const { next } = await rotated((await rotated(await freshCaller())).next)
    await expect(
      deceived(await freshCaller(), HISTORY, change as never).keyHistory.of(next.identity.did),
    ).rejects.toThrow(message)
  })

  it('detects another root key, or a hidden newest one', async () => {
    const [caller, reader] = [await freshCaller(), await freshCaller()]
    const { successor } = await rotated(caller)
    const { did, userId, publicKeyB64u } = caller.identity
    const { client } = reader
    expect((await client.chain.root(did)).userId).toBe(successor.userId)
    for (const lie of [
      { userId: reader.identity.userId, publicKeyB64u: reader.identity.publicKeyB64u },
      { userId, publicKeyB64u },
      { epoch: 0 },
      { epoch: 2 },
      { scope: successor.userId },
    ]) {
      const lied = deceived(reader, /^\/api\/chain\/root\/[^/]+$/, (data) => ({ ...(data as object), ...lie }))
      await expect(lied.chain.root(did)).rejects.toThrow('The root key does not match the DID')
    }
    const hiding = deceived(reader, HISTORY, withoutLater)
    await expect(hiding.chain.root(did)).rejects.toThrow('The root key does not match the DID')
  })

  it('rejects a chain whose newest key is hidden', async () => {
    const caller = await freshCaller()
    const { next } = await rotated(caller)
    await next.client.chain.append({})
    const hiding = deceived(next, HISTORY, withoutLater)
    expect(await hiding.chain.safeVerify()).toMatchObject({
      ok: false,
      error: { reason: 'wrong_owner', where: { block: '1' } },
    })
  })
})

describe('an owner who does not trust core', () => {
  const CURRENT = /\/rotation\/current$/
  const FREEZE = /\/rotation\/freeze$/
  type Current = { latest: RotationRecord }

  it.each<[string, (latest: RotationRecord) => object]>([
    ['another id', () => ({ rotationId: 'a'.repeat(96) })],
    ['another new key', () => ({ newUserId: 'a'.repeat(96) })],
    ['an epoch that is not its request’s', () => ({ epoch: 2 })],
    ['a freeze that nobody signed', () => ({ freezes: 1, status: 'frozen' })],
    [
      'another key in the request',
      ({ request }) => ({
        request: { ...request, statement: { ...request.statement, nonce: 'another-nonce-of-it' } },
      }),
    ],
  ])('sees a rotation with %s', async (_, lie) => {
    const caller = await freshCaller()
    await opened(caller, 2)
    const client = deceived(caller, CURRENT, ({ latest, ...rest }: Current) => ({
      ...rest,
      latest: { ...latest, ...lie(latest) },
    }))
    await expect(client.rotation.current()).rejects.toThrow('The rotation does not match the DID')
    expect((await caller.client.rotation.current()).latest?.status).toBe('pending')
  })

  it('does not take the answer to another veto for that to its own', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { rotation } = await opened(alice, 2)
    const { rotation: other } = await opened(bob, 2)
    const client = deceived(alice, FREEZE, () => other)
    await expect(client.rotation.freeze(rotation.rotationId)).rejects.toThrow('Core answered for a different rotation')
  })

  it('has a device co-sign nothing but a rotation of its identity that both keys have signed', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const phone = await cosignerOf(alice)
    const { rotation } = await opened(alice, 2)
    const theirs = await opened(bob, 2)
    const { request } = theirs.rotation
    for (const forged of [
      theirs.rotation,
      { ...rotation, newUserId: theirs.rotation.newUserId },
      { ...rotation, request },
    ]) {
      await expect(phone.client.rotation.cosign(forged)).rejects.toThrow('The rotation does not match the DID')
    }
    expect((await alice.client.rotation.current()).latest?.cosignatures).toBe(0)
    expect((await phone.client.rotation.cosign(rotation)).cosignatures).toBe(1)
  })

  it('hands over to nobody but a key of the next epoch', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const next = await alice.identity.successor()
    for (const wrong of [bob.identity, await bob.identity.successor(), await next.successor(), alice.identity]) {
      await expect(alice.client.rotation.makeRequest(wrong, { version: 2 })).rejects.toThrow(TypeError)
      await expect(alice.client.rotation.rehearse(wrong, { version: 2 })).rejects.toThrow(TypeError)
    }
    expect((await alice.client.rotation.makeRequest(next, { version: 2 })).statement.epoch).toBe(1)
  })
})
