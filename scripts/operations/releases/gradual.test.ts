import { afterEach, beforeEach, expect, it } from 'vitest'
import { CloudflareApi } from '../cloudflare-api.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from '../fake-cloudflare.fixture.ts'
import { type RaisedStep, type Rising, raise } from './gradual.ts'
import { changesClasses, versionBefore } from './release-plan.ts'

const SCRIPTS = ['svc-core', 'svc-keys', 'svc-pay']
let fake: FakeCloudflare
let api: CloudflareApi
let rising: Rising[]
let printed: string[]

beforeEach(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  printed = []
  rising = SCRIPTS.map((script) => {
    const before = fake.upload(script, 'old').id
    const after = fake.upload(script, 'new').id
    fake.script(script).deployments.push({ shares: [{ id: before, percentage: 100 }], update: null })
    return { script, before, after }
  })
})
afterEach(() => fake.stop())

const raiseWith = (check: (step: RaisedStep) => Promise<void>) =>
  raise(rising, { api, check, print: (line) => printed.push(line), message: 'test' })
const active = () => SCRIPTS.map((script) => fake.script(script).deployments.at(-1))
const sharesNow = () => active().map((one) => one?.shares.map(({ percentage }) => percentage))
const meets = (headers: Readonly<Record<string, string>> | null, random = 0) =>
  SCRIPTS.map((script) =>
    fake.versionFor(script, headers?.['cloudflare-workers-version-overrides'] ?? null, random).slice(-2),
  )

it('gives the new versions 5, 50 and 100 % of the traffic, callees first', async () => {
  const seen: unknown[] = []
  await raiseWith(({ percentage }) => {
    seen.push([percentage, ...sharesNow()])
    return Promise.resolve()
  })
  const split = (old: number) => SCRIPTS.map(() => [old, 100 - old])
  expect(seen).toEqual([
    [5, ...split(95)],
    [50, ...split(50)],
    [100, [100], [100], [100]],
  ])
  const order = SCRIPTS.map((script) => `POST /workers/scripts/${script}/deployments`)
  expect(fake.changes).toEqual([...order, ...order, ...order])
  expect(active().map((one) => one?.shares[0]?.id)).toEqual(rising.map(({ after }) => after))
})

it('lets a check meet the version that it asks for, whatever the share', async () => {
  const met: unknown[] = []
  await raiseWith(({ toNew, toOld }) => {
    for (const random of [0, 0.5, 0.999]) met.push([meets(toNew, random), toOld && meets(toOld, random)])
    return Promise.resolve()
  })
  expect(met.slice(0, 6)).toEqual(
    Array.from({ length: 6 }, () => [
      ['-2', '-2', '-2'],
      ['-1', '-1', '-1'],
    ]),
  )
  expect(met.slice(6)).toEqual(Array.from({ length: 3 }, () => [['-2', '-2', '-2'], null]))
})

it('splits other requests by chance', async () => {
  await raiseWith(({ percentage }) => {
    if (percentage === 5) {
      expect(meets(null, 0.94)).toEqual(['-1', '-1', '-1'])
      expect(meets(null, 0.96)).toEqual(['-2', '-2', '-2'])
    }
    return Promise.resolve()
  })
})

it.each([5, 50, 100])('goes back everywhere if the check fails at %i percent, and says what failed', async (at) => {
  const failing = raiseWith(({ percentage }) =>
    percentage === at ? Promise.reject(new Error('core is build a instead of b.')) : Promise.resolve(),
  )
  await expect(failing).rejects.toThrow(`Rolled back at ${at} %: core is build a instead of b.`)
  expect(active().map((one) => one?.shares)).toEqual(rising.map(({ before }) => [{ id: before, percentage: 100 }]))
  // Callers first, and no object finishes on the version that failed.
  const back = fake.changes.slice(-SCRIPTS.length)
  expect(back).toEqual(SCRIPTS.toReversed().map((script) => `POST /workers/scripts/${script}/deployments`))
  expect(active().map((one) => one?.update)).toEqual(SCRIPTS.map(() => ({ mode: 'immediate' })))
})

it('lets running objects finish while the new versions rise', async () => {
  const updates: unknown[] = []
  await raiseWith(() => {
    updates.push(...active().map((one) => one?.update))
    return Promise.resolve()
  })
  expect(updates).toEqual(Array.from({ length: 9 }, () => ({ mode: 'deferred', max_delay: 30 })))
})

it('goes back with those that were touched if Cloudflare refuses one', async () => {
  fake.script('svc-keys').refused.add(rising[1]?.after ?? '')
  await expect(raiseWith(() => Promise.resolve())).rejects.toThrow(
    'Rolled back at 5 %: Cloudflare answered 400 to POST /workers/scripts/svc-keys/deployments',
  )
  expect(active().map((one) => one?.shares)).toEqual(rising.map(({ before }) => [{ id: before, percentage: 100 }]))
  expect(fake.script('svc-pay').deployments).toHaveLength(3)
})

it('names the Workers that it could not roll back, and rolls back the others', async () => {
  const failed = await raiseWith(() => {
    fake.script('svc-keys').refused.add(rising[1]?.before ?? '')
    return Promise.reject(new Error('no answer'))
  }).catch((error: Error) => error.message)
  expect(failed).toContain(
    'Rolled back at 5 %: no answer\nNOT rolled back, and still on the new version:\n  svc-keys: ',
  )
  expect(sharesNow()).toEqual([[100], [95, 5], [100]])
})

it('reads from the account how the traffic is split and which class migration was applied', async () => {
  await api.deployVersions(
    'svc-core',
    [
      { versionId: 'svc-core-1', percentage: 95 },
      { versionId: 'svc-core-2', percentage: 5 },
    ],
    'm',
    { mode: 'immediate' },
  )
  expect(await api.shares('svc-core')).toEqual([
    { versionId: 'svc-core-1', percentage: 95 },
    { versionId: 'svc-core-2', percentage: 5 },
  ])
  expect(await api.shares('svc-none')).toEqual([])
  expect(await api.classMigration('svc-core')).toBeNull()
  fake.script('svc-core').migration = 'v2'
  expect(await api.classMigration('svc-core')).toBe('v2')
})

it('goes back to the version with most traffic, and to the earlier of two', () => {
  const share = (versionId: string, percentage: number) => ({ versionId, percentage })
  expect(versionBefore([share('old', 95), share('new', 5)])).toBe('old')
  expect(versionBefore([share('old', 50), share('new', 50)])).toBe('old')
  expect(versionBefore([share('only', 100)])).toBe('only')
  expect(versionBefore([])).toBeNull()
})

it('takes a Worker with new classes out of the steps', () => {
  const migrations = [{ tag: 'v1' }, { tag: 'v2' }]
  expect(changesClasses({ migrations }, 'v1')).toBe(true)
  expect(changesClasses({ migrations }, null)).toBe(true)
  expect(changesClasses({ migrations }, 'v2')).toBe(false)
  expect(changesClasses({}, null)).toBe(false)
})
