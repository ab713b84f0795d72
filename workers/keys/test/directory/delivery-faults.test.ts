import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { makeKeyPackage } from '@svc/client/functions'
import { LeafCourier, LogFiles, LogReader, type SubmittedLeaf } from '@svc/log'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { delaysDuring, expectRefusal } from '@svc/service/testing'
import { REALM, type TestCaller } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf, deviceFor } from '../harness.ts'
import { accountOf, LOG, labelOf, leavesOf, log, opened } from '../transparency/log.fixture.ts'
import { credentialOf, publish, revocationOf, revoke } from './directory.fixture.ts'

beforeAll(opened)
afterEach(() => {
  vi.useRealTimers()
})

type Submit = (name: string, sentAt: number, leaves: readonly SubmittedLeaf[]) => Promise<unknown>
const submit: Submit = (name, sentAt, leaves) => log().submit(name, sentAt, leaves)
/** The log, whose way to it is another one. */
const logBy = (way: Submit) => ({
  TRANSPARENCY_LOG: {
    getByName: () => new Proxy({}, { get: (_, name) => (name === 'submit' ? way : Reflect.get(log(), name)) }),
  } as unknown as Env['TRANSPARENCY_LOG'],
})
const down = logBy(() => Promise.reject(new Error('canary: the log is down')))

const proof = (leafId: string) => call(null, 'GET', `/api/transparency/proof/${leafId}`)
const account = accountOf

/** The entries of the log that hold one of the texts. Its size would not do: the alarms of other tests' accounts add to it. */
async function entriesWith(...texts: readonly string[]): Promise<string[]> {
  const head = await log().head(LOG)
  const reader = new LogReader(new LogFiles(env.TILES, LOG))
  const found: string[] = []
  for (let bundle = 0; bundle * TILE_WIDTH < head.size; bundle++) {
    const read = await reader.entries(head, bundle)
    if (!read.ok) throw new Error(read.error.reason)
    found.push(...read.value.entries.filter((entry) => texts.some((text) => entry.includes(text))))
  }
  return found
}
const outbox = (owner: TestCaller) =>
  runInDurableObject(account(owner), (_, { storage }) => storage.sql.exec('SELECT 1 FROM outbox').toArray().length)
/** The alarm of an account as one that has just started has it, with other bindings. */
const alarmOf = (owner: TestCaller, bindings: object) =>
  runInDurableObject(account(owner), async (instance, state) => {
    const Account = instance.constructor as new (state: DurableObjectState, bindings: object) => typeof instance
    await new Account(state, { ...env, ...bindings }).alarm()
  })

async function published(owner: TestCaller, replaced: object): Promise<{ leafId: string; deviceId: string }> {
  const { device } = await deviceFor(owner)
  const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() })
  const credential = await credentialOf(owner, keyPackage)
  const answer = await publish(owner, { credential, keyPackage }, { replaced })
  return dataOf<{ package: { leafId: string; deviceId: string } }>(answer).package
}

describe('a publication', () => {
  it('is on its way to the log when it is acknowledged, without its account’s alarm', async () => {
    const owner = await caller()
    const { leafId } = await published(owner, logBy(submit))
    dataOf(await proof(leafId))
    // The outbox keeps it until the account itself has heard from the log; handed over twice it is a leaf once.
    expect(await outbox(owner)).toBe(1)
    await runDurableObjectAlarm(account(owner))
    expect(await outbox(owner)).toBe(0)
    expect(await entriesWith(labelOf(owner.identity.did))).toHaveLength(1)
  })

  it('and its revocation likewise', async () => {
    const owner = await caller()
    const { deviceId } = await published(owner, down)
    const answer = await revoke(owner, deviceId, await revocationOf(owner, deviceId), { replaced: logBy(submit) })
    dataOf(await proof(dataOf<{ leafId: string }>(answer).leafId))
  })

  it('is acknowledged while the log is down, waits, and is in the log when it is back', async () => {
    const owner = await caller()
    const { leafId } = await published(owner, down)
    expectRefusal(await proof(leafId), 'not_found')
    expect(await delaysDuring(() => alarmOf(owner, down))).toEqual(['directory updates'])
    expect(await outbox(owner)).toBe(1)
    await alarmOf(owner, {})
    expect(await outbox(owner)).toBe(0)
    dataOf(await proof(leafId))
  })

  it('that the log took before its account could hear of it is taken once', async () => {
    const owner = await caller()
    const { leafId } = await published(owner, down)
    const cut = logBy(async (name, sentAt, leaves) => {
      await submit(name, sentAt, leaves)
      throw new Error('canary: the answer is lost')
    })
    await alarmOf(owner, cut)
    expect(await outbox(owner)).toBe(1)
    await alarmOf(owner, {})
    expect(await outbox(owner)).toBe(0)
    expect(await entriesWith(labelOf(owner.identity.did))).toHaveLength(1)
    dataOf(await proof(leafId))
  })

  it('sets the alarm of its account before it is acknowledged', async () => {
    const owner = await caller()
    await published(owner, down)
    const at = await runInDurableObject(account(owner), (_, { storage }) => storage.getAlarm())
    expect(at).toBeGreaterThan(Date.now() - 60_000)
    expect(at).toBeLessThanOrEqual(Date.now() + 5_000)
  })
})

describe('the courier', () => {
  /** A way to the log that opens when told, and what was sent on it. */
  function gated() {
    const calls: number[] = []
    const gate = Promise.withResolvers<void>()
    const way = async (name: string, sentAt: number, sent: readonly SubmittedLeaf[]) => {
      calls.push(sent.length)
      await gate.promise
      return submit(name, sentAt, sent)
    }
    return { calls, open: gate.resolve, courier: new LeafCourier(way) }
  }

  it('takes what came in during one call with the next, and all of it arrives', async () => {
    const { calls, open, courier } = gated()
    const leaves = leavesOf(30_000, 50)
    const carried = leaves.map((leaf) => courier.carry(LOG, Date.now(), [leaf]))
    open()
    await Promise.all(carried)
    expect(calls).toEqual([1, 49])
    expect(await entriesWith(...leaves.map(({ update }) => update.label))).toHaveLength(50)
    for (const { leafId } of leaves) expect(await log().locate(LOG, leafId)).not.toBeNull()
  })

  it('goes on after a log that was down', async () => {
    let isDown = true
    const courier = new LeafCourier(async (name, sentAt, sent) =>
      isDown ? Promise.reject(new Error('canary')) : submit(name, sentAt, sent),
    )
    const [lost, kept] = leavesOf(31_000, 2)
    await courier.carry(LOG, Date.now(), [lost!])
    isDown = false
    await courier.carry(LOG, Date.now(), [kept!])
    expect(await log().locate(LOG, lost!.leafId)).toBeNull()
    expect(await log().locate(LOG, kept!.leafId)).not.toBeNull()
  })

  it('is not held up for ever by a request that was lost with its call', async () => {
    const { calls, courier } = gated()
    const [first, second, third] = leavesOf(32_000, 3)
    void courier.carry(LOG, Date.now(), [first!])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 19_000 })
    await courier.carry(LOG, Date.now(), [second!])
    expect(calls).toEqual([1])
    vi.setSystemTime(Date.now() + 1_001)
    void courier.carry(LOG, Date.now(), [third!])
    expect(calls).toEqual([1, 2])
  })

  it('keeps no more than 1,024 leaves for a log that does not answer', async () => {
    const { calls, open, courier } = gated()
    const carried = leavesOf(33_000, 1_100).map((leaf) => courier.carry(LOG, Date.now(), [leaf]))
    open()
    await Promise.all(carried)
    expect(calls).toEqual([1, 1_024])
  })
})
