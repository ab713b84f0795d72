import { WORKER_NAMES } from '@svc/platform/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { committedConfigs, committedConsole } from './account.ts'
import { isLooseCall } from './deploy-order.ts'
import { readDeployment } from './deployment.ts'
import { LocalAccount } from './local-account/local-account.fixture.ts'
import { describeRollBack, rollBack, rollBackOrder } from './roll-back.ts'
import { commitOf, tagOf } from './uploads/commit.ts'

const OLD = 'a'.repeat(12)
const NEW = 'b'.repeat(12)
const configs = committedConfigs()
const deployment = readDeployment('staging')
const scripts = ['console', ...WORKER_NAMES].map((name) => `svc-${name}-staging`)
let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
  for (const script of scripts) account.fake.upload(script, OLD)
  for (const script of scripts) account.fake.upload(script, NEW)
})
afterEach(() => account.close())

const rollingBack = {
  deployment,
  configs,
  consoleConfig: committedConsole(),
  print: (line: string) => account.print(line),
}
const liveOf = (script: string) => account.fake.script(script).deployments.at(-1)?.shares[0]?.id
const live = () => scripts.map(liveOf)

it('puts every caller before its callees', () => {
  const order = rollBackOrder(rollingBack)
  expect(order.toSorted()).toEqual(scripts.toSorted())
  expect(order[0]).toBe('svc-console-staging')
  for (const { name, services = [] } of configs.values())
    for (const { service } of services.filter((one) => !isLooseCall(name, one.service)))
      expect(order.indexOf(`${name}-staging`), `${name} before ${service}`).toBeLessThan(
        order.indexOf(`${service}-staging`),
      )
})

it('deploys the tagged version of all eight, in that order, and says that data stays', async () => {
  await rollBack(rollingBack, OLD, account.api)
  expect(live()).toEqual(scripts.map((script) => `${script}-1`))
  const order = rollBackOrder(rollingBack)
  // The exact request: `?force=true` would bring old secrets back.
  expect(account.fake.changes).toEqual(order.map((script) => `POST /workers/scripts/${script}/deployments`))
  expect(account.printed.slice(0, -1)).toEqual(
    order.map((script) => `${script}: rolled back to ${OLD}, version ${script}-1`),
  )
  expect(account.printed.at(-1)).toMatch(/^Data stays, and migrations are not undone: .*svc-core-staging/)
  expect(account.fake.unknown).toEqual([])
})

it('prefers the later of two uploads with one tag, which has all bindings', async () => {
  const again = account.fake.upload('svc-provenance-staging', OLD)
  account.fake.upload('svc-provenance-staging', NEW)
  await rollBack(rollingBack, OLD, account.api)
  expect(liveOf('svc-provenance-staging')).toBe(again.id)
})

it('does not mistake an upload of changed files for their commit', async () => {
  expect(tagOf('c'.repeat(40))).toBe('c'.repeat(12))
  expect(tagOf(`${'c'.repeat(40)}-changed`)).toBe(`${'c'.repeat(12)}-changed`)
  expect(tagOf(`${'c'.repeat(40)}-changed`).length).toBeLessThanOrEqual(25)
  expect(commitOf(true)).toMatch(/^[0-9a-f]{40}(-changed)?$/)
  for (const script of scripts) account.fake.upload(script, `${OLD}-changed`)
  await rollBack(rollingBack, OLD, account.api)
  expect(live()).toEqual(scripts.map((script) => `${script}-1`))
})

it('changes nothing if one of the eight lacks the version or does not exist', async () => {
  const before = live()
  const late = 'c'.repeat(12)
  for (const script of scripts.slice(1)) account.fake.upload(script, late)
  const after = live()
  await expect(rollBack(rollingBack, late, account.api)).rejects.toThrow(
    `Nothing was changed: ${scripts[0]} has no version`,
  )
  expect(live()).toEqual(after)
  account.fake.scripts.delete('svc-pay-staging')
  await expect(rollBack(rollingBack, OLD, account.api)).rejects.toThrow(
    'svc-pay-staging has no version aaaaaaaaaaaa among',
  )
  await expect(rollBack(rollingBack, 'd'.repeat(12), account.api)).rejects.toThrow(/have no version/)
  expect(account.fake.changes).toEqual([])
  expect(before).not.toEqual(after)
})

it('stops when Cloudflare refuses, reports what was rolled back, and continues when run again', async () => {
  const [first = '', second = '', ...rest] = rollBackOrder(rollingBack)
  account.fake.script(second).refused.add(`${second}-1`)
  const failed = await rollBack(rollingBack, OLD, account.api).catch((error: Error) => error.message)
  expect(failed).toContain(`${second} was not rolled back to ${OLD}. Cloudflare answered 400 to POST`)
  expect(failed).toContain(`At ${OLD}: ${first}. Unchanged: ${[second, ...rest].join(', ')}.`)
  expect(liveOf(first)).toBe(`${first}-1`)
  for (const script of [second, ...rest]) expect(liveOf(script)).toBe(`${script}-2`)
  expect(account.printed.join('\n')).not.toContain('Data stays')

  account.fake.script(second).refused.clear()
  await rollBack(rollingBack, OLD, account.api)
  expect(live()).toEqual(scripts.map((script) => `${script}-1`))
})

it('prints in a dry run what it would do, and makes no request', () => {
  describeRollBack(rollingBack, OLD)
  expect(account.printed.slice(0, -1)).toEqual(
    rollBackOrder(rollingBack).map((script) => `${script}: would be rolled back to ${OLD}`),
  )
  expect(account.printed.at(-1)).toContain('migrations are not undone')
  expect(account.fake.changes).toEqual([])
})
