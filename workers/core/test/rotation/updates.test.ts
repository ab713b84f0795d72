import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { statementHash } from '@svc/protocol/base/statement'
import type { KeysInternalApi } from '@svc/protocol/internal/keys'
import type { DirectoryPage } from '@svc/protocol/keys/directory'
import { REALM, type TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventStore } from '../../src/events/store.ts'
import { IdentityTransaction } from '../../src/identity/transaction.ts'
import { ROOT_UPDATES } from '../../src/rotation/updates/outbox.ts'
import { freshCaller } from '../harness.ts'
import { at, DAY_MS, memberOf, rotated } from './rotation.fixture.ts'

const HOUR_MS = 3_600_000
const directory = env.KEYS as unknown as KeysInternalApi
const { TEST_KEYS: keys } = env as unknown as { readonly TEST_KEYS: Fetcher }
const identityOf = (did: string) => env.IDENTITIES.getByName(did)

// Alarms are set by the clock of the object, so ahead of the real one none goes off by itself.
beforeEach(() => at(Date.now() + HOUR_MS))
afterEach(() => {
  vi.useRealTimers()
})

/** The updates of an account, as the directory lists them to another account. It has the real clock. */
async function listed(did: string) {
  vi.useRealTimers()
  const { identity, address } = await freshCaller()
  const url = `https://keys.test/api/key-directory/${did}/devices`
  const authorization = await identity.assertion({ audience: 'keys', method: 'GET', url, now: Date.now() })
  const response = await keys.fetch(url, { headers: { authorization, 'cf-connecting-ip': address } })
  expect(response.status).toBe(200)
  return (await response.json<{ data: DirectoryPage }>()).data.updates.map(({ seq, statement }) => ({
    seq,
    type: statement?.type,
    hash: statement && statementHash(statement),
  }))
}

/** What waits for the directory, and when the object is woken. */
function outboxOf(did: string) {
  return runInDurableObject(identityOf(did), async ({ stored }, { storage }) => ({
    waiting: stored
      .tables(ROOT_UPDATES)
      .exec('SELECT item AS kind, attempts, due_at FROM root_updates ORDER BY seq')
      .toArray(),
    alarm: await storage.getAlarm(),
  }))
}

/** Has the object call another directory until it is evicted. */
function replaceDirectory(did: string, replaced: KeysInternalApi) {
  return runInDurableObject(identityOf(did), (identity) => {
    Object.assign(identity, { env: { ...env, KEYS: replaced } })
  })
}

/** Gives the caller a device that can veto, so that a deactivation waits. */
async function withStanding(caller: TestCaller) {
  await memberOf(caller)
  at(Date.now() + DAY_MS)
}

async function rotatedOnce(caller: TestCaller) {
  const { rotation } = await rotated(caller)
  return { seq: 1, type: 'svc/rotation-request/v1', hash: rotation.rotationId }
}

describe('a rotation', () => {
  it('becomes an update of the account at the key directory', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const update = await rotatedOnce(caller)
    const { waiting, alarm } = await outboxOf(did)
    expect(waiting).toEqual([{ kind: 'rotation', attempts: 0, due_at: Date.now() }])
    expect(alarm).toBe(Date.now())
    await runDurableObjectAlarm(identityOf(did))
    expect(await listed(did)).toEqual([update])
    expect((await outboxOf(did)).waiting).toEqual([])
  })

  it('is reported although the object dies right after it', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const update = await rotatedOnce(caller)
    await evictDurableObject(identityOf(did))
    await runDurableObjectAlarm(identityOf(did))
    expect(await listed(did)).toEqual([update])
  })

  it('waits for a directory that fails, less and less often, and is not lost', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const update = await rotatedOnce(caller)
    const recordRootStatements = vi.fn(() => Promise.reject(new Error('canary: keys is down')))
    await replaceDirectory(did, { recordRootStatements })
    for (const [attempts, pause] of [
      [1, 5_000],
      [2, 10_000],
      [3, 20_000],
    ] as const) {
      await runDurableObjectAlarm(identityOf(did))
      const { waiting, alarm } = await outboxOf(did)
      expect(waiting).toEqual([{ kind: 'rotation', attempts, due_at: Date.now() + pause }])
      // Records of the identity may be due earlier.
      expect(alarm).toBeLessThanOrEqual(Date.now() + pause)
      // An alarm for something else does not repeat the call before its time.
      await runInDurableObject(identityOf(did), (identity) => identity.alarm())
      expect(recordRootStatements).toHaveBeenCalledTimes(attempts)
      at(Date.now() + pause)
    }
    for (let i = 0; i < 12; i++) {
      await runDurableObjectAlarm(identityOf(did))
      at(Date.now() + HOUR_MS)
    }
    expect(recordRootStatements).toHaveBeenCalledTimes(15)
    await evictDurableObject(identityOf(did))
    await runDurableObjectAlarm(identityOf(did))
    expect(await listed(did)).toEqual([update])
    expect((await outboxOf(did)).waiting).toEqual([])
  })

  it('is one update however often it is delivered', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const { rotation } = await rotated(caller)
    const deliver = () => runInDurableObject(identityOf(did), (identity) => identity.alarm())
    await Promise.all(Array.from({ length: 20 }, deliver))
    const { statement } = rotation.request
    await Promise.all(Array.from({ length: 20 }, () => directory.recordRootStatements(did, [statement])))
    expect(await listed(did)).toEqual([{ seq: 1, type: statement.type, hash: rotation.rotationId }])
  })

  it('and a deactivation after it are reported in order', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const { rotation, next } = await rotated(caller)
    await next.client.security.deactivate()
    await runDurableObjectAlarm(identityOf(did))
    expect(await listed(did)).toEqual([
      { seq: 1, type: 'svc/rotation-request/v1', hash: rotation.rotationId },
      { seq: 2, type: 'svc/did-deactivate/v1', hash: expect.any(String) },
    ])
  })
})

describe('a key agreement', () => {
  it('becomes an update at the key directory, also if it was replaced before it is delivered', async () => {
    const caller = await freshCaller()
    const { did, userId } = caller.identity
    const hashes: string[] = []
    for (const now of [Date.now() - 2, Date.now() - 1]) {
      const signed = await caller.identity.keyAgreement({ realm: REALM, now })
      const register = () => identityOf(did).register(undefined, { signed, signerUserId: userId })
      const answers = await Promise.all(Array.from({ length: 20 }, register))
      expect(answers.every(({ ok }) => ok)).toBe(true)
      hashes.push(statementHash(signed.statement))
    }
    expect((await outboxOf(did)).alarm).toBe(Date.now())
    await evictDurableObject(identityOf(did))
    await runDurableObjectAlarm(identityOf(did))
    const type = 'svc/key-agreement/v1'
    expect(await listed(did)).toEqual(hashes.map((hash, index) => ({ seq: index + 1, type, hash })))
    expect((await outboxOf(did)).waiting).toEqual([])
  })
})

describe('a deactivation that waits', () => {
  it('takes effect at its deadline and is reported, although nobody asks', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    await withStanding(caller)
    const { status, deadline, rotationId } = await caller.client.security.deactivate()
    expect([status, deadline]).toEqual(['pending', expect.any(Number)])
    expect(await outboxOf(did)).toEqual({ waiting: [], alarm: deadline })
    at(deadline ?? 0)
    await runDurableObjectAlarm(identityOf(did))
    expect(await listed(did)).toEqual([{ seq: 1, type: 'svc/did-deactivate/v1', hash: rotationId }])
    expect(await caller.client.chain.root(did)).toMatchObject({ deactivated: true })
  })

  it('is not reported while the identity is held', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    await withStanding(caller)
    const { deadline } = await caller.client.security.deactivate()
    await caller.client.security.placeHold()
    at((deadline ?? 0) + HOUR_MS)
    await runDurableObjectAlarm(identityOf(did))
    // Nothing is left to wake for but the deletion of old events.
    const oldest = await runInDurableObject(identityOf(did), ({ stored }) => new EventStore(stored).nextDue())
    expect(await outboxOf(did)).toEqual({ waiting: [], alarm: oldest })
    expect(await listed(did)).toEqual([])
  })
})

it('a deployment without a key directory keeps updates for a later one', async () => {
  const caller = await freshCaller()
  const { did } = caller.identity
  const times = () => ({ windowMs: DAY_MS, contestMs: 7 * DAY_MS, standingMs: 30 * DAY_MS })
  for (const hasDirectory of [false, true]) {
    await runInDurableObject(identityOf(did), ({ stored }) => {
      const { updates } = new IdentityTransaction(stored, { hasDirectory, times })
      updates.add({ kind: 'rotation', statementHash: 'hash' }, Date.now())
      expect(updates.dueAt() !== null).toBe(hasDirectory)
    })
    expect((await outboxOf(did)).waiting).toHaveLength(1)
  }
})
