import { declaredAt, verifyConsentHistory } from '@svc/protocol/consent/history'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  caller,
  creation,
  DISALLOW,
  deletion,
  device,
  deviceKey,
  freshHash,
  get,
  put,
  rootKey,
  update,
} from '../harness.ts'
import { inStoreOf } from '../stores.fixture.ts'

afterEach(() => vi.useRealTimers())
const pathOf = (hash: string, query = '') => `/api/v1/consent/${encodeURIComponent(hash)}/history${query}`
const historyOf = async (hash: string, query = '') => (await get(pathOf(hash, query))).body as ConsentHistory

describe('the history of a record', () => {
  it('holds offline, and says what was declared when', async () => {
    const [by, hash] = [rootKey(await caller()), freshHash()]
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    for (const [minute, write] of [
      await creation(by, hash),
      await update(by, hash, { ai_training: 'allow', search: 'allow' }),
      await deletion(by, hash),
      await creation(by, hash, { search: 'disallow' }),
    ].entries()) {
      vi.setSystemTime(start + minute * 60_000)
      await put(write)
    }
    const { entries, creator_did, next, state } = await historyOf(hash)
    expect({ creator_did, next }).toEqual({ creator_did: by.did, next: null })
    expect(state).toEqual({ preferences: { search: 'disallow' }, version: 4, source: 'declared' })
    const verified = await verifyConsentHistory({ hash, creatorDid: by.did }, entries)
    if (!verified.ok) throw new Error(verified.error.reason)
    expect(verified.value.unproved).toEqual([])
    const both = { ai_training: 'allow', search: 'allow' }
    const expected: [number, object | null | undefined][] = [
      [-1, undefined],
      [0, DISALLOW],
      [59_999, DISALLOW],
      [60_000, both],
      [120_000, null],
      [180_000, { search: 'disallow' }],
    ]
    for (const [offset, preferences] of expected) {
      const at = start + offset
      expect(declaredAt(verified.value, at)?.preferences).toEqual(preferences)
      const then = await historyOf(hash, `?at=${at}`)
      expect(then.state.preferences).toEqual(preferences ?? null)
      expect(then.state.source).toBe(preferences ? 'declared' : 'default')
      expect(then.entries).toEqual(entries.filter(({ recorded_at }) => recorded_at <= at))
    }
  })

  it('comes in pages', async () => {
    const [by, hash] = [rootKey(await caller()), freshHash()]
    await put(await creation(by, hash))
    for (const search of ['allow', 'disallow', 'allow'] as const) await put(await update(by, hash, { search }))
    const first = await historyOf(hash, '?limit=3')
    expect(first.entries.map(({ version }) => version)).toEqual([1, 2, 3])
    expect(first.next).toBe(3)
    const second = await historyOf(hash, '?limit=3&after=3')
    expect([second.entries.map(({ version }) => version), second.next]).toEqual([[4], null])
    expect(second.state.version).toBe(4)
  })

  it('tells acts of devices, whose standing only the service vouches for', async () => {
    const { device: keys } = await device({ capabilities: ['consent:write'] })
    const hash = freshHash()
    await put(await creation(deviceKey(keys), hash))
    const { entries } = await historyOf(hash)
    const verified = await verifyConsentHistory({ hash, creatorDid: keys.did }, entries)
    expect(verified).toMatchObject({ ok: true, value: { unproved: [1] } })
  })

  it('is the miss body where there never was a record, and refuses nonsense', async () => {
    const hash = freshHash()
    const { status, body, headers } = await get(pathOf(hash))
    expect({ status, body }).toMatchObject({ status: 404, body: { found: false, hash, source: 'default' } })
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    for (const query of ['?at=x', '?limit=1.5', '?after=-1', '?until=1']) {
      expectRefusal(await get(pathOf(hash, query)), 'invalid_request')
    }
  })

  it('ends at a thousand acts, after which a record can still be revoked', async () => {
    const [by, hash] = [rootKey(await caller()), freshHash()]
    await put(await creation(by, hash))
    await inStoreOf(hash, 'UPDATE records SET version = 1000 WHERE identifier_hash = ?')
    expectRefusal(await put(await update(by, hash, { search: 'allow' })), 'consent_limit')
    expect((await put(await deletion(by, hash))).status).toBe(200)
    expectRefusal(await put(await creation(by, hash, { search: 'allow' })), 'consent_limit')
  })
})
