import { env } from 'cloudflare:workers'
import { PURPOSE, signPayload } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { deviceIdOf } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { type ChainBlock, type GenesisBlock, type SignedBlock, signBlock } from '@svc/protocol/chain/chain'
import { deviceOf, REALM, signerOf, type TestDevice, type TestDeviceOptions } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, nextBlock, send, sendWith } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { added } from './inception.fixture.ts'

const HEAD = '/api/chain/head'
const REFUSED = { status: 401, body: { success: false, error: 'unauthorized' } }
const FORBIDDEN = { status: 403, body: { success: false, error: 'capability_required' } }

const freshDevice = async (options: Partial<TestDeviceOptions> = {}): Promise<TestDevice> =>
  deviceOf(await freshCaller(), { fetch: send, capabilities: ['chain:read', 'chain:append'], ...options })
const get = (authorization: string, path = HEAD) => anonymous('GET', path, undefined, { authorization })
const post = async ({ assertion }: TestDevice, path: string, body?: unknown, members = {}) =>
  anonymous('POST', path, body, { authorization: await assertion('chain', members) })
const append = (device: TestDevice, block: unknown) => post(device, '/api/chain/append', block)

describe('an append relayed by a device', () => {
  it('is accepted if the root key signed the block', async () => {
    const device = await freshDevice()
    expect(await append(device, await nextBlock(device.owner))).toMatchObject({
      status: 201,
      body: { data: { index: '1' } },
    })
    expect((await device.client.chain.head()).index).toBe('1')
    expect((await device.owner.client.chain.safeVerify()).ok).toBe(true)
  })

  it('is rejected if the device signed it, under its own key or the root’s name', async () => {
    const device = await freshDevice()
    const { signature: _, ...block } = await nextBlock(device.owner)
    const signed = (changes: object): Promise<SignedBlock> =>
      signBlock<ChainBlock>({ ...block, ...changes }, signerOf(device.device))
    const own = await signed({ ownerPublicKey: device.device.devicePublicKeyB64u })
    expect(await append(device, own)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    expect(await append(device, await signed({}))).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    expect((await device.client.chain.head()).index).toBe('0')
  })

  it('is rejected if the block is of another identity', async () => {
    const [device, stranger] = [await freshDevice(), await freshCaller()]
    const refused = await append(device, await nextBlock(stranger))
    expect(refused).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
  })

  it('requires chain:append', async () => {
    const device = await freshDevice({ capabilities: ['chain:read'] })
    expect(await append(device, await nextBlock(device.owner))).toMatchObject(FORBIDDEN)
    expect((await device.client.chain.head()).index).toBe('0')
  })

  it.each(['revoke', 'suspend'] as const)('is stopped by a %s after it was authorized', async (event) => {
    const device = await freshDevice()
    const payload = new Uint8Array(70_000)
    const { chain, devices } = device.owner.client
    const body = { ...(await chain.makeBlock(await chain.head(), { payload })), payloadB64u: encodeBase64url(payload) }
    // Between the call that authorizes a large append and the one that writes its pointer.
    const slow = {
      put: async (...operands: Parameters<R2Bucket['put']>) => {
        await devices.change(device.device.deviceId, { event })
        return env.BLOBS.put(...operands)
      },
    }
    const headers = { authorization: await device.assertion('chain'), 'content-type': 'application/json' }
    const request = new Request(`${CORE}/api/chain/append`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect((await sendWith({ BLOBS: slow })(request)).status).toBe(401)
    expect((await chain.head()).index).toBe('0')
  })
})

describe('a device', () => {
  it('without any capability can place and read a hold, and only the root key can lift it', async () => {
    const device = await freshDevice({ capabilities: [] })
    const scribe = await deviceOf(device.owner, { fetch: send, capabilities: ['chain:append'] })
    const held = await device.client.security.placeHold()
    const changes = added(device.device.deviceId, scribe.device.deviceId)
    expect(held).toEqual({ held: true, placedAt: expect.any(Number), changes })
    expect(await device.client.security.hold()).toEqual(held)
    await expect(device.client.security.liftHold()).rejects.toMatchObject({ status: 403, error: 'capability_required' })
    expect(await device.owner.client.security.hold()).toEqual(held)
    const frozen = await append(scribe, await nextBlock(device.owner))
    expect(frozen).toMatchObject({ status: 409, body: { error: 'security_hold' } })
    expect((await device.owner.client.security.liftHold()).held).toBe(false)
    expect((await append(scribe, await nextBlock(device.owner))).status).toBe(201)
  })

  it('cannot place a hold for another identity, or once it is revoked', async () => {
    const [device, stranger] = [await freshDevice({ capabilities: [] }), await freshCaller()]
    const { userId, scope, did } = stranger.identity
    expect(await post(device, '/api/security/hold', undefined, { userId, scope, did })).toMatchObject(REFUSED)
    expect((await stranger.client.security.hold()).held).toBe(false)
    await device.owner.client.devices.revoke(device.device.deviceId)
    expect(await post(device, '/api/security/hold')).toMatchObject(REFUSED)
    expect((await device.owner.client.security.hold()).held).toBe(false)
  })

  it('cannot use the routes of the root key', async () => {
    const device = await freshDevice({
      capabilities: ['account:read', 'chain:append', 'chain:read', 'rotation:request'],
    })
    const { client, owner } = device
    const successor = await owner.identity.successor()
    const offered = await anonymous('POST', '/api/pair/offer', undefined, {
      authorization: await device.assertion('core'),
    })
    expect(offered).toMatchObject(FORBIDDEN)
    expect(await post(device, '/api/authorize/offer')).toMatchObject(FORBIDDEN)
    await expect(client.chain.makeBlock({ index: '0', hash: 'a'.repeat(96) }, {})).rejects.toThrow('cannot sign blocks')
    await expect(client.security.deactivate()).rejects.toThrow('root key')
    await expect(client.rotation.makeRequest(successor, { version: 2 })).rejects.toThrow('root key')
    const change = await owner.client.devices.makeChange(
      device.device.deviceId,
      { event: 'suspend' },
      await client.devices.head(),
    )
    const authorization = await device.assertion('genesis')
    expect(await anonymous('POST', '/api/inception/device-event', change, { authorization })).toMatchObject(FORBIDDEN)
    expect((await client.chain.head()).index).toBe('0')
  })

  it('can read head, blocks, payload and sync status within its capabilities', async () => {
    const device = await freshDevice({ capabilities: ['chain:read', 'account:read'] })
    const { hash } = await device.owner.client.chain.append({ payload: new Uint8Array(3) })
    expect((await device.client.chain.safeVerify()).ok).toBe(true)
    expect((await device.client.chain.payload(hash)).bytes).toEqual(new Uint8Array(3))
    const status = await get(await device.assertion('chain'), '/api/sync/status')
    expect(status).toMatchObject({
      status: 200,
      body: { data: { hasBackup: true, userId: device.owner.identity.userId } },
    })
  })

  it('of a deactivated identity is not recognized', async () => {
    const device = await freshDevice()
    const early = await device.assertion('chain')
    await device.owner.client.security.deactivate()
    expect(await get(early)).toMatchObject(REFUSED)
    expect(await post(device, '/api/security/hold')).toMatchObject(REFUSED)
  })

  it('is stale after a rotation, whatever it claims, until the new key attests it', async () => {
    const device = await freshDevice()
    const early = await device.assertion('chain')
    const { successor, next } = await rotated(device.owner)
    const { userId } = successor
    expect(await get(early)).toMatchObject(REFUSED)
    for (const claim of [{}, { rootEpoch: 1 }, { userId }, { rootEpoch: 1, userId }]) {
      expect(await get(await device.assertion('chain', claim))).toMatchObject(REFUSED)
    }
    await next.client.devices.attest(await device.device.acceptance(successor.did, { realm: REALM, now: Date.now() }))
    expect(await get(await device.assertion('chain'))).toMatchObject(REFUSED)
    expect((await get(await device.assertion('chain', { rootEpoch: 1, userId }))).status).toBe(200)
  })
})

describe('a device key', () => {
  const asRoot = (keys: TestDevice['device'], members: object) => {
    const { devicePublicKeyB64u: key } = keys
    const now = Date.now()
    return signPayload(
      { sign: signerOf(keys) },
      {
        version: 1,
        purpose: PURPOSE,
        chainId: key,
        publicChainKey: key,
        issuedAt: now,
        expiresAt: now + 60_000,
        nonce: crypto.randomUUID(),
        aud: 'chain',
        ...members,
      },
    )
  }

  it('is rejected in a root assertion, under its own name or its owner’s', async () => {
    const { device, owner } = await freshDevice()
    const userId = userIdOfKey(device.devicePublicKeyB64u)
    expect(await get(await asRoot(device, { userId }))).toMatchObject(REFUSED)
    expect(await get(await asRoot(device, { userId: owner.identity.userId }))).toMatchObject(REFUSED)
    const ownersKey = {
      userId: owner.identity.userId,
      chainId: owner.identity.publicKeyB64u,
      publicChainKey: owner.identity.publicKeyB64u,
    }
    expect(await get(await asRoot(device, ownersKey))).toMatchObject(REFUSED)
  })

  it('cannot have an identity of its own', async () => {
    const { device, owner } = await freshDevice()
    const { signature: _, ...template } = await owner.client.chain.makeGenesis()
    const ownerPublicKey = device.devicePublicKeyB64u
    const block = await signBlock<GenesisBlock>(
      { ...template, ownerPublicKey, scope: userIdOfKey(ownerPublicKey) },
      signerOf(device),
    )
    const refused = await anonymous('POST', '/api/genesis/init', { block })
    expect(refused).toMatchObject({ status: 409, body: { error: 'genesis_conflict' } })
  })

  it('cannot be a root key in a device assertion', async () => {
    const { assertion, owner } = await freshDevice()
    const { publicKeyB64u } = owner.identity
    const now = Date.now()
    const members = {
      version: 2,
      purpose: 'auth/device-session',
      devicePublicKey: publicKeyB64u,
      deviceId: deviceIdOf(publicKeyB64u),
    }
    const { userId, scope, did } = owner.identity
    const claim = { userId, scope, did, origin: 'app:testing', rootEpoch: 0, capabilities: [], aud: 'chain' }
    const times = { issuedAt: now, expiresAt: now + 60_000, nonce: crypto.randomUUID() }
    expect(
      await get(await signPayload({ sign: signerOf(owner.identity) }, { ...members, ...claim, ...times })),
    ).toMatchObject(REFUSED)
    expect((await get(await assertion('chain'))).status).toBe(200)
  })
})

describe('DEVICE_KEYS', () => {
  const off = sendWith({ DEVICE_KEYS: 'off' })
  const ask = async (authorization: string) => {
    const response = await off(
      new Request(CORE + HEAD, { headers: { authorization, 'cf-connecting-ip': '2001:db8:a:d::1' } }),
    )
    return { status: response.status, body: await response.json() }
  }

  it('off rejects devices with a specific error, spends nothing, and accepts the root key as before', async () => {
    const { assertion, owner } = await freshDevice()
    const disabled = { status: 403, body: { success: false, error: 'device_keys_disabled' } }
    const nonce = crypto.randomUUID()
    expect(await ask(await assertion('chain', { nonce }))).toMatchObject(disabled)
    expect(await ask(await assertion('chain', { deviceId: 'laptop' }))).toMatchObject(disabled)
    expect((await ask(await owner.assertion('chain'))).status).toBe(200)
    expect((await get(await assertion('chain', { nonce }))).status).toBe(200)
    expect(await ask(await assertion('notes'))).toMatchObject({ status: 403, body: { error: 'wrong_audience' } })
  })

  it('matches the capabilities document', async () => {
    const { client } = await freshCaller()
    expect((await client.capabilities()).features.assertions).toMatchObject({ versions: [1, 2], deviceKeys: true })
    const { client: without } = await freshCaller({ fetch: off })
    expect((await without.capabilities()).features.assertions).toMatchObject({ versions: [1], deviceKeys: false })
  })
})
