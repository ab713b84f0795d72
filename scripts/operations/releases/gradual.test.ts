import { afterEach, beforeEach, expect, it } from 'vitest'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { tagOf } from '../uploads/commit.ts'
import { type RaisedStep, type Rising, raise } from './gradual.ts'
import { changesClasses, versionBefore } from './release-plan.ts'

const SCRIPTS = ['svc-core', 'svc-keys', 'svc-pay']
let account: LocalAccount
let rising: Rising[]

beforeEach(async () => {
  account = await LocalAccount.open()
  rising = SCRIPTS.map((script) => {
    const before = account.fake.upload(script, 'old').id
    const after = account.fake.upload(script, 'new').id
    account.fake.script(script).deployments.push({ shares: [{ id: before, percentage: 100 }], update: null })
    return { script, before, after, bundle: 'c'.repeat(64) }
  })
})
afterEach(() => account.close())

const raiseWith = (check: (step: RaisedStep) => Promise<void>) =>
  raise(rising, { api: account.api, check, print: account.print, message: 'test' })
const active = () => SCRIPTS.map((script) => account.fake.script(script).deployments.at(-1))
const sharesNow = () => active().map((one) => one?.shares.map(({ percentage }) => percentage))
const meets = (headers: Readonly<Record<string, string>> | null, random = 0) =>
  SCRIPTS.map((script) =>
    account.fake.versionFor(script, headers?.['cloudflare-workers-version-overrides'] ?? null, random).slice(-2),
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
  expect(account.fake.changes).toEqual([...order, ...order, ...order])
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

it('says with each deployment what the version consists of, in the 100 bytes that Cloudflare keeps', async () => {
  const messages: (string | undefined)[] = []
  await raiseWith(() => {
    messages.push(active()[0]?.message)
    return Promise.resolve()
  })
  expect(messages).toEqual([5, 50, 100].map((share) => `test ${share} % sha256:${'c'.repeat(64)}`))
  const longest = `${tagOf(`${'a'.repeat(40)}-changed`)} 100 % sha256:${'c'.repeat(64)}`
  expect(longest.length).toBeLessThanOrEqual(100)
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
  const back = account.fake.changes.slice(-SCRIPTS.length)
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
  account.fake.script('svc-keys').refused.add(rising[1]?.after ?? '')
  await expect(raiseWith(() => Promise.resolve())).rejects.toThrow(
    'Rolled back at 5 %: Cloudflare answered 400 to POST /workers/scripts/svc-keys/deployments',
  )
  expect(active().map((one) => one?.shares)).toEqual(rising.map(({ before }) => [{ id: before, percentage: 100 }]))
  expect(account.fake.script('svc-pay').deployments).toHaveLength(3)
})

it('names the Workers that it could not roll back, and rolls back the others', async () => {
  const failed = await raiseWith(() => {
    account.fake.script('svc-keys').refused.add(rising[1]?.before ?? '')
    return Promise.reject(new Error('no answer'))
  }).catch((error: Error) => error.message)
  expect(failed).toContain(
    'Rolled back at 5 %: no answer\nNOT rolled back, and still on the new version:\n  svc-keys: ',
  )
  expect(sharesNow()).toEqual([[100], [95, 5], [100]])
})

it('reads from the account how the traffic is split and which class migration was applied', async () => {
  await account.api.deployVersions(
    'svc-core',
    [
      { versionId: 'svc-core-1', percentage: 95 },
      { versionId: 'svc-core-2', percentage: 5 },
    ],
    'm',
    { mode: 'immediate' },
  )
  expect(await account.api.shares('svc-core')).toEqual([
    { versionId: 'svc-core-1', percentage: 95 },
    { versionId: 'svc-core-2', percentage: 5 },
  ])
  expect(await account.api.shares('svc-none')).toEqual([])
  expect(await account.api.classMigration('svc-core')).toBeNull()
  account.fake.script('svc-core').migration = 'v2'
  expect(await account.api.classMigration('svc-core')).toBe('v2')
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
