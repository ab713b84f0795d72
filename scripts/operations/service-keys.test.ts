import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyStatement } from '@svc/protocol/base/statement'
import { keysFault, SERVICE_KEY_USES, serviceKeyHash } from '@svc/protocol/http/service-keys'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { committedConfigs } from './account.ts'
import { CloudflareApi } from './cloudflare-api.ts'
import { DEPLOYMENTS, readDeployment, writeDeployment } from './deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from './fake-cloudflare.fixture.ts'
import { SecretsFile } from './secrets.ts'
import { announceNextKey, keyFaults, publishFirstKeys } from './service-keys.ts'
import { configOf, type RawConfig } from './worker-deployment.ts'

const NOW = 1_790_000_000_000
const DAY = 86_400_000
const configs = committedConfigs()
let fake: FakeCloudflare
let api: CloudflareApi
let folder: string

beforeEach(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  folder = mkdtempSync(join(tmpdir(), 'svc-keys-'))
  cpSync(join(DEPLOYMENTS, 'staging.json'), join(folder, 'staging.json'))
  const secrets = secretsFile()
  for (const { seed } of SERVICE_KEY_USES) secrets.make(seed)
  await publishFirstKeys(deployment(), secrets)
})
afterEach(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true })
})

const deployment = () => readDeployment('staging', folder)
const secretsFile = () => SecretsFile.read(join(folder, 'secrets/staging.json'))
const announce = (now: number) =>
  announceNextKey(
    { deployment: deployment(), configs, secrets: secretsFile(), seed: 'RECEIPT_SEED', days: 30, now },
    api,
  )
const faultsAt = async (now: number) =>
  (await Promise.all(WORKER_NAMES.map((worker) => keyFaults(worker, deployment(), secretsFile(), now)))).flat()
const receiptKeys = () => deployment().serviceKeys.filter(({ use }) => use === 'receipt')

describe('the published keys', () => {
  it('are one for each use at first, and go to core and to the Worker that signs', async () => {
    expect(deployment().serviceKeys).toHaveLength(SERVICE_KEY_USES.length)
    expect(await faultsAt(NOW)).toEqual([])
    const namesOf = (worker: (typeof WORKER_NAMES)[number]) =>
      Object.keys(configOf(worker, configs.get(worker) as RawConfig, deployment(), { sha: 'c0ffee' }).vars).filter(
        (name) => name.startsWith('SERVICE_KEY_'),
      )
    expect(namesOf('core')).toHaveLength(SERVICE_KEY_USES.length)
    expect(namesOf('pay')).toEqual(['SERVICE_KEY_1'])
    expect(namesOf('docs')).toEqual([])
  })

  it('fit into variables, which hold 5 kB', () => {
    for (const key of deployment().serviceKeys) expect(JSON.stringify(key).length).toBeLessThan(5_000)
  })

  it('are required before a deployment, and must be those of the seeds', async () => {
    const bare = { ...deployment(), serviceKeys: [] }
    expect(await keyFaults('pay', bare, secretsFile(), NOW)).toEqual([
      'pay: deployments/staging.json has no key for quota-receipt: run scripts/provision',
    ])
    const secrets = secretsFile()
    secrets.forget('QUOTA_RECEIPT_SEED')
    secrets.make('QUOTA_RECEIPT_SEED')
    expect(await keyFaults('pay', deployment(), secrets, NOW)).toEqual([
      'pay: QUOTA_RECEIPT_SEED is not the seed of the key in deployments/staging.json',
    ])
  })
})

describe('--next-key', () => {
  it('announces a key, and later the next one, without a moment in which none signs', async () => {
    const { secrets } = fake.script('svc-core-staging')
    const first = await announce(NOW)
    expect(receiptKeys()).toMatchObject([
      { validUntil: NOW + 31 * DAY },
      { validFrom: NOW + 30 * DAY, validUntil: null },
    ])
    expect(await faultsAt(NOW)).toEqual([])
    expect(secrets.get('RECEIPT_SEED_NEXT')).toBe(secretsFile().get('RECEIPT_SEED_NEXT'))
    await expect(announce(NOW + DAY)).rejects.toThrow('The next key of RECEIPT_SEED signs from')

    const then = NOW + 60 * DAY
    await announce(then)
    expect(keysFault(deployment().serviceKeys)).toBeNull()
    expect(receiptKeys()).toHaveLength(3)
    expect(receiptKeys()[1]).toEqual({ ...first, validUntil: then + 31 * DAY })
    expect(await faultsAt(then)).toEqual([])
    expect(secrets.get('RECEIPT_SEED')).toBe(secretsFile().get('RECEIPT_SEED'))
  })

  it('lets the key that signs hand over to the next one, for core to publish', async () => {
    const [first] = receiptKeys()
    fake.script('svc-core-staging')
    const { handOver, publicKeyB64u } = await announce(NOW)
    const realm = `https://${deployment().hosts.core[0]}`
    expect(handOver?.statement).toMatchObject({ keyHash: serviceKeyHash(publicKeyB64u), validFrom: NOW + 30 * DAY })
    expect(handOver && (await verifyStatement(handOver, bytesOf(first?.publicKeyB64u ?? ''), [realm]))).toBe(true)
    const varsOf = (worker: (typeof WORKER_NAMES)[number]) =>
      configOf(worker, configs.get(worker) as RawConfig, deployment(), { sha: 'c0ffee' }).vars
    const published = (worker: (typeof WORKER_NAMES)[number]) =>
      Object.entries(varsOf(worker)).flatMap(([name, value]) => (name.endsWith('_HAND_OVER') ? [value] : []))
    expect(published('core')).toEqual([handOver])
    expect(published('pay')).toEqual([])
    for (const key of Object.values(varsOf('core'))) expect(key).not.toHaveProperty('handOver')
    for (const value of Object.values(varsOf('core'))) expect(JSON.stringify(value).length).toBeLessThan(5_000)
  })

  it('hands over from no key that was withdrawn', async () => {
    fake.script('svc-core-staging')
    const ended = deployment().serviceKeys.map((key) => (key.use === 'receipt' ? { ...key, validUntil: NOW } : key))
    writeDeployment(deployment(), { serviceKeys: ended })
    expect((await announce(NOW)).handOver).toBeUndefined()
  })

  it('can be repeated after a failure', async () => {
    fake.script('svc-core-staging')
    fake.failing = 'PUT /workers/scripts/svc-core-staging'
    await expect(announce(NOW)).rejects.toThrow('500')
    expect(receiptKeys()).toHaveLength(1)
    const made = secretsFile().get('RECEIPT_SEED_NEXT')
    fake.failing = null
    await announce(NOW)
    expect(secretsFile().get('RECEIPT_SEED_NEXT')).toBe(made)
    expect(receiptKeys()).toHaveLength(2)
  })
})
