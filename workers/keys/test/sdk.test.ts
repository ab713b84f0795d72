import { Client } from '@svc/client'
import type { DevicePackage, DirectoryPage, ReservedPrekey } from '@svc/protocol/keys/directory'
import { byHost, fetchOf, LIST_KEYS, SERVICE_KEYS, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PublishedDevice, publishedDevice } from './directory/directory.fixture.ts'
import { BASE, caller, ORIGIN, send, sendToCore } from './harness.ts'

let victim: PublishedDevice
let other: PublishedDevice
let reader: TestCaller
beforeAll(async () => {
  victim = await publishedDevice(await caller(), { count: 50 })
  other = await publishedDevice(await caller(), { count: 50 })
  reader = await caller()
}, 30_000)

/** The SDK against the real directory, whose answers to some paths are changed on their way. */
function lyingTo<T>(matches: (request: Request) => boolean, change: (data: T) => unknown): Client {
  const keys = async (request: Request) => {
    const response = await send(request)
    if (!matches(request)) return response
    const body = await response.json<{ data: T }>()
    change(body.data)
    return Response.json(body, { status: response.status })
  }
  const fetch = byHost({ core: sendToCore, keys })
  const places = { core: 'https://core.test', did: 'https://did.test', keys: BASE }
  return new Client({
    ...places,
    ...SERVICE_KEYS,
    logListKeys: LIST_KEYS,
    identity: reader.identity,
    origin: ORIGIN,
    fetch: fetchOf(fetch),
  })
}
const isGet = (request: Request) => request.method === 'GET' && request.url.includes('/key-directory/')
const isReserve = (request: Request) => request.url.endsWith('/reserve')
const target = () => [victim.owner.identity.did, victim.device.deviceId] as const

describe('a directory that lies to the SDK', () => {
  it.each<[string, (found: DevicePackage) => unknown]>([
    ['another package', (found) => Object.assign(found, { keyPackage: other.package.keyPackage })],
    ['another credential', (found) => Object.assign(found, { credential: other.package.credential })],
    ['the package of somebody else', (found) => Object.assign(found, other.package)],
    ['another version', (found) => Object.assign(found, { version: 9 })],
    ['another leaf', (found) => Object.assign(found, { leafId: `${'0'.repeat(64)}-${'0'.repeat(96)}` })],
    [
      'a KEM key of its own',
      ({ keyPackage }) =>
        Object.assign(keyPackage.statement, {
          kemPublicKeyB64u: other.package.keyPackage.statement.kemPublicKeyB64u,
        }),
    ],
  ])('is not believed with %s', async (_, change) => {
    const { keyDirectory } = lyingTo(isGet, change)
    await expect(keyDirectory.resolve(...target())).rejects.toThrow('is invalid')
  })

  it('is not believed with a list that hides a revocation', async () => {
    const owner = await caller()
    const { device, package: published } = await publishedDevice(owner, { count: 1 })
    await owner.client.keyDirectory.revoke(device.deviceId, 1)
    const { keyDirectory } = lyingTo<DirectoryPage>(isGet, ({ updates }) =>
      Object.assign(updates[0]!, { package: published, statement: null }),
    )
    await expect(keyDirectory.list(owner.identity.did)).rejects.toThrow('The directory returned a revoked package')
  })

  it.each<[string, string, (reserved: ReservedPrekey) => unknown]>([
    ['does not belong to the device', 'a prekey of another device', ({ prekey }) => swapPrekey(prekey)],
    [
      'did not report a last-resort prekey',
      'a fallback that was none',
      (reserved) => Object.assign(reserved, { usedFallback: true }),
    ],
    [
      'receipt is for another prekey',
      'a receipt for another',
      ({ receipt }) => Object.assign(receipt.statement, { requesterDid: victim.owner.identity.did }),
    ],
    [
      'receipt is invalid',
      'a receipt of another time',
      ({ receipt }) => Object.assign(receipt.statement, { expiresAt: 1 }),
    ],
    [
      'does not have the key that the answer names',
      'a receipt by another key',
      ({ receipt }) => Object.assign(receipt, { publicKeyB64u: reader.identity.publicKeyB64u }),
    ],
  ])('"%s" it says of %s', async (words, _, change) => {
    const { keyDirectory } = lyingTo(isReserve, change)
    await expect(keyDirectory.reserve(...target())).rejects.toThrow(words)
  })

  it('is believed when it says the truth', async () => {
    const { keyDirectory } = lyingTo(isReserve, () => {})
    expect((await keyDirectory.reserve(...target())).usedFallback).toBe(false)
  })
})

function swapPrekey(prekey: ReservedPrekey['prekey']): void {
  const { upload } = other.made
  Object.assign(prekey, { publicKeyB64u: upload.publicKeysB64u[0], batch: upload.batch })
}

describe('a client', () => {
  it('that was not told where the directory is says so', () => {
    const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity: reader.identity })
    expect(() => client.keyDirectory).toThrow(TypeError)
    expect(() => client.transparency).toThrow(TypeError)
  })
})
