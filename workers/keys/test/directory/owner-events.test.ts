import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { makeKeyPackage } from '@svc/client/functions'
import { REALM, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { caller, deviceFor } from '../harness.ts'
import { accountOf, opened } from '../transparency/log.fixture.ts'
import { credentialOf, publish, publishedDevice, revocationOf, revoke } from './directory.fixture.ts'

beforeAll(opened)

const told = async ({ client }: TestCaller) =>
  (await client.events.read()).events
    .map(({ kind, ref }) => `${kind} ${ref}`)
    .filter((line) => line.startsWith('package'))
const waiting = (owner: TestCaller) =>
  runInDurableObject(accountOf(owner), (_, { storage }) =>
    storage.sql.exec<{ attempts: number }>('SELECT attempts FROM unreported').toArray(),
  )
/** The alarm of an account that has just started, a while later, with other bindings. */
const alarmOf = (owner: TestCaller, bindings: object = {}) =>
  runInDurableObject(accountOf(owner), async (instance, state) => {
    state.storage.sql.exec('UPDATE unreported SET due_at = 0')
    const Account = instance.constructor as new (state: DurableObjectState, bindings: object) => typeof instance
    await new Account(state, { ...env, ...bindings }).alarm()
  })
const down = { CORE: { fetch: () => Promise.reject(new Error('canary: core is down')) } }

describe('the owner’s event feed', () => {
  it('tells of a package that is published, and of one that is revoked', async () => {
    const owner = await caller()
    const { deviceId } = (await publishedDevice(owner)).device
    await alarmOf(owner)
    await revoke(owner, deviceId, await revocationOf(owner, deviceId))
    await alarmOf(owner)
    expect(await told(owner)).toEqual([`package.published ${deviceId}`, `package.revoked ${deviceId}`])
    expect(await waiting(owner)).toEqual([])
  })

  it('tells of a package once that is published twenty times at once', async () => {
    const owner = await caller()
    const { device } = await deviceFor(owner)
    const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
    const credential = await credentialOf(owner, keyPackage)
    await Promise.all(Array.from({ length: 20 }, () => publish(owner, { credential, keyPackage })))
    await Promise.all(Array.from({ length: 20 }, () => alarmOf(owner)))
    expect(await told(owner)).toEqual([`package.published ${device.deviceId}`])
  })

  it('is told after a crash between the act and the report', async () => {
    const owner = await caller()
    const { deviceId } = (await publishedDevice(owner)).device
    await evictDurableObject(accountOf(owner))
    expect(await waiting(owner)).toHaveLength(1)
    await alarmOf(owner)
    expect(await told(owner)).toEqual([`package.published ${deviceId}`])
  })

  it('is told later, and once, while core is down or its answer is lost', async () => {
    const owner = await caller()
    const { deviceId } = (await publishedDevice(owner)).device
    await alarmOf(owner, down)
    expect(await waiting(owner)).toEqual([{ attempts: 1 }])
    const lost = {
      fetch: async (input: string, init: RequestInit) => {
        await env.CORE.fetch(input, init)
        throw new Error('canary: the answer is lost')
      },
    }
    await alarmOf(owner, { CORE: lost })
    expect(await waiting(owner)).toEqual([{ attempts: 2 }])
    await alarmOf(owner)
    expect(await told(owner)).toEqual([`package.published ${deviceId}`])
    expect(await waiting(owner)).toEqual([])
  })

  it('has its alarm set before the publication is acknowledged', async () => {
    const owner = await caller()
    await publishedDevice(owner)
    const at = await runInDurableObject(accountOf(owner), (_, { storage }) => storage.getAlarm())
    expect(at).toBeLessThanOrEqual(Date.now() + 5_000)
    await runDurableObjectAlarm(accountOf(owner))
  })
})
