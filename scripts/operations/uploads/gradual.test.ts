import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy } from '../deploy.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { bundleHash } from '../releases/bundle-hash.ts'
import { OBJECT_UPDATE_SECONDS } from '../worker-deployment.ts'
import type { Deploying } from './files.ts'

const SCRIPT = 'svc-auth-staging'
let account: LocalAccount

beforeAll(async () => {
  account = await LocalAccount.open()
  account.forWrangler()
})
afterAll(() => account.close())

/** The Worker that calls no other. */
const deploying = (sha: string): Deploying => {
  const one = account.deploying(sha, ['auth'])
  return { ...one, deployment: { ...one.deployment, console: null } }
}
const script = () => account.fake.script(SCRIPT)
const active = () => script().deployments.at(-1)
const newest = () => script().uploads.at(-1)

it('deploys to an account without Workers at once, whatever is asked for', async () => {
  await provision({ ...deploying('a'.repeat(40)), fileSets: [] }, account.api)
  await deploy(deploying('a'.repeat(40)), account.api, () => Promise.reject(new Error('never checked')))
  expect(active()?.shares).toEqual([{ id: newest()?.id, percentage: 100 }])
  expect(script().migration).toBe('v2')
})

it('uploads a version without traffic, and gives it traffic in steps', async () => {
  const [before, seen] = [newest()?.id, [] as unknown[]]
  account.fake.changes.length = 0
  account.printed.length = 0
  await deploy(deploying('b'.repeat(40)), account.api, ({ percentage, toNew, toOld }) => {
    seen.push([percentage, active()?.shares, toNew, toOld])
    return Promise.resolve()
  })
  const override = (id = '') => ({ 'cloudflare-workers-version-overrides': `${SCRIPT}="${id}"` })
  const after = newest()?.id
  const shares = (...percentages: number[]) =>
    percentages.map((percentage, i) => ({ id: [before, after][i], percentage }))
  expect(seen).toEqual([
    [5, shares(95, 5), override(after), override(before)],
    [50, shares(50, 50), override(after), override(before)],
    [100, [{ id: after, percentage: 100 }], override(after), null],
  ])
  expect(newest()?.tag).toBe('b'.repeat(12))
  expect(active()?.update).toEqual({ mode: 'deferred', max_delay: OBJECT_UPDATE_SECONDS })
  expect(account.printed).toEqual([
    `${SCRIPT}: migrated`,
    expect.stringMatching(new RegExp(`^${SCRIPT}: uploaded, sha256 [0-9a-f]{64}$`)),
    ...[5, 50, 100].flatMap((share) => [`${share} % of the traffic of ${SCRIPT}`, `${share} %: checked`]),
  ])
  const modules = new Map<string, Uint8Array>()
  for (const [name, file] of newest()?.modules ?? []) modules.set(name, await file.bytes())
  expect(active()?.message).toBe(`${'b'.repeat(12)} 100 % sha256:${bundleHash(modules)}`)
  // A version does not have settings.
  expect(account.fake.changes).toContain(`PATCH /workers/scripts/${SCRIPT}/script-settings`)
  expect(account.fake.unknown).toEqual([])
})

it('goes back if something does not work, and fails', async () => {
  const before = active()?.shares
  const failing = deploy(deploying('c'.repeat(40)), account.api, () => Promise.reject(new Error('answered 500')))
  await expect(failing).rejects.toThrow('Rolled back at 5 %: answered 500')
  expect(active()?.shares).toEqual(before)
  expect(newest()?.tag).toBe('c'.repeat(12))
})

it('deploys a Worker that changes its Durable Object classes at once', async () => {
  script().migration = 'v1'
  account.printed.length = 0
  await deploy(deploying('d'.repeat(40)), account.api, () => Promise.resolve())
  expect(account.printed[1]).toContain(
    `${SCRIPT}: deployed at once, because it changes its Durable Object classes, sha256 `,
  )
  expect(script().migration).toBe('v2')
  expect(active()?.shares).toEqual([{ id: newest()?.id, percentage: 100 }])
})
