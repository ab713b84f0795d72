/**
 * The drill of a rotation: every key that a service signs with is replaced on a running platform, as an operator does it
 * with `scripts/provision --next-key` and a deployment. A client that pinned the first keys and was away while the next
 * ones were announced goes on, and all that it kept still verifies.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Device, Identity, type Pin } from '@svc/client'
import { consentBucketOf, makeKeyPackage, makePrekeys } from '@svc/client/functions'
import { type Platform, startPlatform, urlsOf } from '@svc/platform'
import { reservePortBase } from '@svc/platform/ports'
import { bytesOf } from '@svc/protocol/base/base64url'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { verifyStatement } from '@svc/protocol/base/statement'
import { keysAt, SERVICE_KEY_USES, type ServiceKeyName } from '@svc/protocol/http/service-keys'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { committedConfigs } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
import { DEPLOYMENTS, readDeployment } from '../deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from '../local-account/fake-cloudflare.fixture.ts'
import { nextSeedName, SecretsFile } from '../secrets.ts'
import { announceNextKey, publishFirstKeys } from '../service-keys.ts'

const DAY = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'svc-rotation-'))
const portBase = await reservePortBase()
const { core } = urlsOf(portBase)
const secretsFile = () => SecretsFile.read(join(folder, 'secrets.json'))
const deployment = () => readDeployment('drill', folder)
let fake: FakeCloudflare
let platform: Platform

interface Kept {
  readonly name: ServiceKeyName
  readonly signed: { readonly statement: object & { readonly issuedAt: number }; readonly signatureB64u: string }
}

/** The platform with the keys of the file and the seeds of the operator, as `scripts/deploy` leaves them. */
async function deployed(): Promise<Platform> {
  const secrets = secretsFile()
  const seedsOf = (service: string) =>
    SERVICE_KEY_USES.filter((use) => use.service === service).flatMap(({ seed }) =>
      [seed, nextSeedName(seed)].flatMap((name) => (secrets.has(name) ? [[name, secrets.get(name) ?? '']] : [])),
    )
  const services = [...new Set(SERVICE_KEY_USES.map(({ service }) => service))]
  return startPlatform({
    portBase,
    stateDir: join(folder, 'state'),
    onLog: () => {},
    serviceKeys: deployment().serviceKeys,
    secrets: Object.fromEntries(services.map((service) => [service, Object.fromEntries(seedsOf(service))])),
  })
}

beforeAll(async () => {
  fake = await FakeCloudflare.start()
  const file = JSON.parse(readFileSync(join(DEPLOYMENTS, 'staging.json'), 'utf8')) as { vars: { all: object } }
  file.vars.all = { ...file.vars.all, REALMS: [core] }
  writeFileSync(join(folder, 'drill.json'), JSON.stringify(file))
  const secrets = secretsFile()
  for (const { seed } of SERVICE_KEY_USES) secrets.make(seed)
  await publishFirstKeys(deployment(), secrets)
  platform = await deployed()
}, 600_000)
afterAll(async () => {
  await platform.stop()
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Announced a month ago, so that every next key signs from now on. */
async function rotateAll(): Promise<void> {
  const api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  const configs = committedConfigs()
  for (const { service, seed } of SERVICE_KEY_USES) {
    fake.script((configs.get(service)?.name ?? '') + deployment().suffix)
    const now = Date.now() - 30 * DAY
    await announceNextKey({ deployment: deployment(), configs, secrets: secretsFile(), seed, days: 30, now }, api)
  }
}

/** One statement of each use, which the SDK has verified. */
async function statementsOf(client: Client, identity: Identity, deviceId: string, round: string): Promise<Kept[]> {
  const quota = await client.quota.consume('search', { key: round })
  const { didResolutionMetadata } = await client.did.resolve(identity.did)
  const note = await client.notes.put({ title: round, body: round })
  const deletion = await client.notes.delete(note.noteId)
  const reserving = { key: round, unwitnessed: true }
  const { receipt } = await client.keyDirectory.reserve(identity.did, deviceId, reserving)
  const { proof } = didResolutionMetadata
  if (!proof) throw new Error('the resolution has no proof')
  return [
    { name: { service: 'pay', use: 'quota-receipt' }, signed: quota },
    { name: { service: 'did', use: 'resolution' }, signed: proof },
    { name: { service: 'core', use: 'receipt' }, signed: deletion },
    { name: { service: 'keys', use: 'reservation' }, signed: receipt },
  ]
}

const servicesOf = ({ list }: Pin) => list?.statement.services ?? []

/** By which of the listed keys that were valid at its time a statement was signed; -1 for none. */
async function signerIn(pin: Pin, { name, signed }: Kept): Promise<number> {
  const { statement, signatureB64u } = signed
  for (const { publicKeyB64u } of keysAt(servicesOf(pin), name, statement.issuedAt))
    if (await verifyStatement({ statement, signatureB64u }, bytesOf(publicKeyB64u), [core]))
      return servicesOf(pin)
        .filter((key) => key.use === name.use)
        .findIndex((key) => key.publicKeyB64u === publicKeyB64u)
  return -1
}

it('every key is replaced with overlap, and a client with the old pin goes on', async () => {
  const identity = await Identity.create()
  const options = { core, identity, origin: 'http://localhost:3000' }
  const before = await Client.connect(options)
  await before.chain.genesis()
  const created = await Device.create({ origin: 'app:drill', capabilities: ['prekeys:write'] })
  const { realm } = before
  const attestation = await before.devices.attest(await created.acceptance(identity.did, { realm, now: Date.now() }))
  const device = await created.attested(attestation, await before.keyHistory.of(identity.did), before.realms)
  const { upload } = await makePrekeys(device, { realm, now: Date.now() }, { count: 4 })
  const keyPackage = await makeKeyPackage(device, { realm, now: Date.now() })
  const { package: found } = await before.keyDirectory.publish(keyPackage, { prekeys: [upload], version: 1 })
  await before.transparency.waitFor(found, 30)
  const kept = await statementsOf(before, identity, device.deviceId, 'before')
  const pinned = JSON.parse(JSON.stringify(before.discovery?.pin)) as Pin
  expect(await Promise.all(kept.map((one) => signerIn(pinned, one)))).toEqual([0, 0, 0, 0])

  await platform.stop()
  await rotateAll()
  platform = await deployed()

  const after = await Client.connect({ ...options, pinned })
  const pin = after.discovery?.pin
  if (!pin) throw new Error('nothing was pinned')
  expect(after.discovery?.trust).toBe('given')
  for (const { service, use } of SERVICE_KEY_USES) {
    const own = after.discovery?.document.keys.filter((key) => key.service === service && key.use === use)
    expect(
      own?.map(({ state }) => state),
      use,
    ).toEqual(['previous', 'current'])
  }
  // New statements are by the new keys, and those from before still verify.
  const made = await statementsOf(after, identity, device.deviceId, 'after')
  expect(await Promise.all(made.map((one) => signerIn(pin, one)))).toEqual([1, 1, 1, 1])
  expect(await Promise.all(kept.map((one) => signerIn(pin, one)))).toEqual([0, 0, 0, 0])
  expect((await after.quota.consume('search', { key: 'before' })).statement).toEqual(kept[0]?.signed.statement)
  const bucket = consentBucketOf('drill')
  expect((await after.consent.snapshot({ buckets: [bucket] })).buckets).toEqual(new Set([bucket]))

  // A key signs nothing outside of its time.
  for (const { service, use, seed } of SERVICE_KEY_USES) {
    const [first, next] = servicesOf(pin).filter((key) => key.service === service && key.use === use)
    const old = new DeploymentSigner(secretsFile().get(seed), [core])
    const late = await old.sign({ type: 'svc/quota-receipt/v1', issuedAt: first?.validUntil ?? 0 })
    const early = await new DeploymentSigner(secretsFile().get(nextSeedName(seed)), [core]).sign({
      type: 'svc/quota-receipt/v1',
      issuedAt: (next?.validFrom ?? 0) - 1,
    })
    for (const signed of [late, early])
      expect(signed && (await signerIn(pin, { name: { service, use }, signed }))).toBe(-1)
  }
}, 600_000)

it('a key that the list does not have is only a claim', async () => {
  const { discovery } = await Client.connect({ core })
  expect(discovery?.unlisted).toEqual([])
  const claiming: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.url.endsWith('/.well-known/svc')) return response
    const document = (await response.json()) as { keys: { validUntil: number | null }[] }
    return Response.json({ ...document, keys: document.keys.map((key) => ({ ...key, validUntil: null })) })
  }
  const told = await Client.connect({ core, fetch: claiming, pinned: discovery!.pin })
  expect(told.discovery?.unlisted).toHaveLength(SERVICE_KEY_USES.length)
  expect(told.discovery?.pin.list).toEqual(discovery?.pin.list)
})
