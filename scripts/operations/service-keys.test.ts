import { WORKER_NAMES } from '@svc/platform/workspace'
import { keysFault, SERVICE_KEY_USES } from '@svc/protocol/http/service-keys'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { committedConfigs } from './account.ts'
import { LocalAccount } from './local-account/local-account.fixture.ts'
import { announceNextKey, endKey, keyFaults, publishFirstKeys } from './service-keys.ts'
import { configOf, type RawConfig } from './worker-deployment.ts'

const NOW = 1_790_000_000_000
const DAY = 86_400_000
const configs = committedConfigs()
let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
  const { secrets } = account
  for (const { seed } of SERVICE_KEY_USES) secrets.make(seed)
  await publishFirstKeys(account.deployment, secrets)
})
afterEach(() => account.close())

const announce = (now: number) =>
  announceNextKey(
    { deployment: account.deployment, configs, secrets: account.secrets, seed: 'RECEIPT_SEED', days: 30, now },
    account.api,
  )
const faultsAt = async (now: number) =>
  (await Promise.all(WORKER_NAMES.map((worker) => keyFaults(worker, account.deployment, account.secrets, now)))).flat()
const receiptKeys = () => account.deployment.serviceKeys.filter(({ use }) => use === 'receipt')

describe('the published keys', () => {
  it('are one for each use at first, and go to core and to the Worker that signs', async () => {
    expect(account.deployment.serviceKeys).toHaveLength(SERVICE_KEY_USES.length)
    expect(await faultsAt(NOW)).toEqual([])
    const namesOf = (worker: (typeof WORKER_NAMES)[number]) =>
      Object.keys(
        configOf(worker, configs.get(worker) as RawConfig, account.deployment, { sha: 'c0ffee' }).vars,
      ).filter((name) => name.startsWith('SERVICE_KEY_'))
    expect(namesOf('core')).toHaveLength(SERVICE_KEY_USES.length)
    expect(namesOf('pay')).toEqual(['SERVICE_KEY_1'])
    expect(namesOf('docs')).toEqual([])
  })

  it('fit into variables, which hold 5 kB', () => {
    for (const key of account.deployment.serviceKeys) expect(JSON.stringify(key).length).toBeLessThan(5_000)
  })

  it('are required before a deployment, and must be those of the seeds', async () => {
    const bare = { ...account.deployment, serviceKeys: [] }
    expect(await keyFaults('pay', bare, account.secrets, NOW)).toEqual([
      'pay: deployments/staging.json has no key for quota-receipt: run scripts/provision',
    ])
    const { secrets } = account
    secrets.forget('QUOTA_RECEIPT_SEED')
    secrets.make('QUOTA_RECEIPT_SEED')
    expect(await keyFaults('pay', account.deployment, secrets, NOW)).toEqual([
      'pay: QUOTA_RECEIPT_SEED is not the seed of the key in deployments/staging.json',
    ])
  })
})

describe('--next-key', () => {
  it('announces a key, and later the next one, without a moment in which none signs', async () => {
    const { secrets } = account.fake.script('svc-core-staging')
    const first = await announce(NOW)
    expect(receiptKeys()).toMatchObject([
      { validUntil: NOW + 31 * DAY },
      { validFrom: NOW + 30 * DAY, validUntil: null },
    ])
    expect(await faultsAt(NOW)).toEqual([])
    expect(secrets.get('RECEIPT_SEED_NEXT')).toBe(account.secrets.get('RECEIPT_SEED_NEXT'))
    await expect(announce(NOW + DAY)).rejects.toThrow('The next key of RECEIPT_SEED signs from')

    const then = NOW + 60 * DAY
    await announce(then)
    expect(keysFault(account.deployment.serviceKeys)).toBeNull()
    expect(receiptKeys()).toHaveLength(3)
    expect(receiptKeys()[1]).toEqual({ ...first, validUntil: then + 31 * DAY })
    expect(await faultsAt(then)).toEqual([])
    expect(secrets.get('RECEIPT_SEED')).toBe(account.secrets.get('RECEIPT_SEED'))
  })

  it('replaces a key that was ended at once', async () => {
    account.fake.script('svc-core-staging')
    const { publicKeyB64u } = endKey({ deployment: account.deployment, seed: 'RECEIPT_SEED', now: NOW })
    expect(receiptKeys()).toMatchObject([{ publicKeyB64u, validUntil: NOW }])
    expect(() => endKey({ deployment: account.deployment, seed: 'RECEIPT_SEED', now: NOW })).toThrow('signs now')
    expect(() => endKey({ deployment: account.deployment, seed: 'OTHER', now: NOW })).toThrow('OTHER is none of')
    const next = { configs, secrets: account.secrets, seed: 'RECEIPT_SEED', days: 0, now: NOW }
    await announceNextKey({ deployment: account.deployment, ...next }, account.api)
    expect(receiptKeys()).toMatchObject([
      { publicKeyB64u, validUntil: NOW },
      { validFrom: NOW, validUntil: null },
    ])
    expect(await faultsAt(NOW)).toEqual([])
  })

  it('can be repeated after a failure', async () => {
    account.fake.script('svc-core-staging')
    account.fake.failing = 'PUT /workers/scripts/svc-core-staging'
    await expect(announce(NOW)).rejects.toThrow('500')
    expect(receiptKeys()).toHaveLength(1)
    const made = account.secrets.get('RECEIPT_SEED_NEXT')
    account.fake.failing = null
    await announce(NOW)
    expect(account.secrets.get('RECEIPT_SEED_NEXT')).toBe(made)
    expect(receiptKeys()).toHaveLength(2)
  })
})
