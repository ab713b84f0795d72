import { env } from 'cloudflare:workers'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import { declaredAt, verifyConsentHistory } from '@svc/protocol/consent/history'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import type { SnapshotPage } from '@svc/protocol/consent/snapshot'
import { expectRefusal } from '@svc/service/testing'
import { REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  caller,
  creation,
  DISALLOW,
  dataOf,
  deletion,
  freshHash,
  get,
  type Key,
  put,
  read,
  rootKey,
  update,
} from '../harness.ts'
import { inStoreOf } from '../stores.fixture.ts'
import { act, importOf, OPERATOR_KEY, STRANGER, settlement } from './settlement.fixture.ts'

const HOUR = 3_600_000
const owner = async () => rootKey(await caller())
const operators = [userIdOfKey(OPERATOR_KEY)]
const historyOf = async (hash: string, query = '') =>
  (await get(`/api/v1/consent/${encodeURIComponent(hash)}/history${query}`)).body as ConsentHistory
const settle = async (hash: string, to: Key) => dataOf(await act(await settlement(hash, to.did)))
const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
afterEach(() => vi.useRealTimers())

async function verified(hash: string, query = '') {
  const { creator_did, entries } = await historyOf(hash, query)
  const context = { hash, creatorDid: creator_did ?? '', realms: REALMS, operators }
  const history = await verifyConsentHistory(context, entries)
  if (!history.ok) throw new Error(`${history.error.reason} at ${history.error.version}`)
  return history.value
}

describe('a settlement', () => {
  it('ends the record of the creator before, and the new one may declare', async () => {
    const [squatter, author, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(squatter, hash, { ai_training: 'allow' }))
    expect((await read(hash)).status).toBe(200)
    await settle(hash, author)
    expect((await read(hash)).body).toMatchObject({ found: false, source: 'default' })
    expectRefusal(await put(await creation(squatter, hash)), 'consent_held')
    expect((await put(await update(squatter, hash, DISALLOW))).status).toBe(404)
    expect((await put(await deletion(squatter, hash))).status).toBe(404)
    const record = dataOf(await put(await creation(author, hash)))
    expect(record).toMatchObject({ creator_did: author.did, version: 3, preferences: DISALLOW })
    expect(record['created_at']).toBe(record['updated_at'])
    expect((await read(hash)).body).toEqual(record)
    expectRefusal(await put(await update(squatter, hash, { search: 'allow' })), 'invalid_signature')
    expectRefusal(await put(await creation(squatter, hash)), 'consent_held')
    expect((await put(await update(author, hash, { search: 'allow' }))).status).toBe(200)
  })

  it('is in the history with its signature, and the acts before it stay what they were', async () => {
    const [first, second, third, hash] = [await owner(), await owner(), await owner(), freshHash()]
    const start = Date.now()
    at(start)
    await put(await creation(first, hash))
    at(start + 1_000)
    await settle(hash, second)
    at(start + 2_000)
    await put(await creation(second, hash, { search: 'allow' }))
    at(start + 3_000)
    const last = await settlement(hash, third.did, { reason: 'court_order' })
    dataOf(await act(last))
    const { creator_did, entries, state } = await historyOf(hash)
    expect(creator_did).toBe(third.did)
    expect(state).toEqual({ preferences: null, version: 4, source: 'default' })
    expect(entries.map(({ action }) => action)).toEqual(['create', 'settle', 'create', 'settle'])
    expect(entries[3]).toEqual({
      version: 4,
      action: 'settle',
      previous_creator_did: second.did,
      statement: last.statement,
      signature_b64u: last.signatureB64u,
      signer: { kind: 'operator', user_id: operators[0] },
      public_key_b64u: OPERATOR_KEY,
      recorded_at: start + 3_000,
    })
    const history = await verified(hash)
    expect(history.unproved).toEqual([])
    for (const [offset, did, preferences] of [
      [0, first.did, DISALLOW],
      [999, first.did, DISALLOW],
      [1_000, second.did, null],
      [2_000, second.did, { search: 'allow' }],
      [3_000, third.did, null],
    ] as const) {
      expect(declaredAt(history, start + offset)).toMatchObject({ creatorDid: did, preferences })
      const then = await historyOf(hash, `?at=${start + offset}`)
      expect([then.creator_did, then.state.preferences]).toEqual([did, preferences])
      await verified(hash, `?at=${start + offset}`)
    }
  })

  it('changes no snapshot of an earlier hour, and is in that of its own', async () => {
    const [first, second, hash] = [await owner(), await owner(), freshHash()]
    const start = Math.ceil(Date.now() / HOUR) * HOUR
    const entriesAt = async (hour: number) => {
      const page = (await get(`/api/v1/consent/snapshot?bucket=${consentBucketOf(hash)}&at=${start + hour * HOUR}`))
        .body
      return (page as SnapshotPage).entries.filter((entry) => entry.identifier_hash === identifierHash(hash))
    }
    at(start + 1)
    await put(await creation(first, hash))
    at(start + HOUR + 1)
    await settle(hash, second)
    at(start + 2 * HOUR + 1)
    await put(await creation(second, hash, { search: 'allow' }))
    at(start + 3 * HOUR + 60_000)
    expect(await entriesAt(0)).toEqual([])
    const entryOf = (did: string, preferences: object) => ({
      identifier_hash: identifierHash(hash),
      creator_hash: creatorHash(hash, did),
      preferences,
    })
    expect(await entriesAt(1)).toEqual([entryOf(first.did, DISALLOW)])
    expect(await entriesAt(2)).toEqual([])
    expect(await entriesAt(3)).toEqual([entryOf(second.did, { search: 'allow' })])
  })

  it('passes a revoked identifier too, and gives it back', async () => {
    const [first, second, hash] = [await owner(), await owner(), freshHash()]
    const declared = await creation(first, hash)
    await put(declared)
    await put(await deletion(first, hash))
    await settle(hash, second)
    await settle(hash, first)
    // What its creator signed before the dispute stays spent.
    expectRefusal(await put(declared), 'consent_replay')
    expect(dataOf(await put(await creation(first, hash)))['version']).toBe(5)
    expect((await verified(hash)).states.at(-1)).toMatchObject({ creatorDid: first.did, preferences: DISALLOW })
  })

  it('to the creator who holds it changes nothing', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const record = dataOf(await put(await creation(by, hash)))
    await settle(hash, by)
    expect((await read(hash)).body).toEqual(record)
    expect((await historyOf(hash)).entries).toHaveLength(1)
  })

  it('leaves the new creator all the acts of a record', async () => {
    const [squatter, author, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(squatter, hash))
    await inStoreOf(
      hash,
      'UPDATE acts SET version = 1000 WHERE record = (SELECT id FROM records WHERE identifier_hash = ?)',
    )
    await inStoreOf(hash, 'UPDATE records SET version = 1000 WHERE identifier_hash = ?')
    expectRefusal(await put(await update(squatter, hash, { search: 'allow' })), 'consent_limit')
    await settle(hash, author)
    expect(dataOf(await put(await creation(author, hash)))['version']).toBe(1002)
    expect((await put(await update(author, hash, { search: 'allow' }))).status).toBe(200)
  })

  it('is refused where there is nothing to settle, and leaves an ownerless record as it is', async () => {
    const [by, hash] = [await owner(), freshHash()]
    expectRefusal(await act(await settlement(hash, by.did)), 'not_found')
    const record = { contentHash: hash, preferences: { search: 'allow' }, declaredAt: 1_600_000_000_000 }
    expect(dataOf(await act(await importOf([record])))).toMatchObject({ imported: 1 })
    const imported = (await read(hash)).body
    expect(imported).toMatchObject({ found: true, creator_did: null, preferences: { search: 'allow' } })
    expectRefusal(await act(await settlement(hash, by.did)), 'non_native_consent_record')
    expect((await read(hash)).body).toEqual(imported)
  })

  it('is refused unless the operator signed it for this service, now, once', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(await owner(), hash))
    for (const wrong of [{ reason: 'because' }, { service: 'pay' }, { creatorDid: 'x' }, { force: true }]) {
      expectRefusal(await act(await settlement(hash, by.did, wrong)), 'invalid_request')
    }
    const other = await settlement(hash, by.did, {}, STRANGER)
    expectRefusal(await act(other), 'invalid_signature')
    expectRefusal(await act(await settlement(hash, by.did, { issuedAt: 0 })), 'statement_expired')
    expectRefusal(await act(await settlement(hash, by.did), { OPERATOR_PUBLIC_KEY: '' }), 'operator_acts_disabled')
    const signed = await settlement(hash, by.did)
    dataOf(await act(signed))
    expectRefusal(await act(signed), 'statement_replay')
    expect((await historyOf(hash)).entries).toHaveLength(2)
  })
})

describe('a settlement that was interrupted', () => {
  /** A database that fails to note that the act is done: the crash after the settlement. */
  const crashing = (): { CONTROL_DB: D1Database } => ({
    CONTROL_DB: new Proxy(env.CONTROL_DB, {
      get(db, name) {
        if (name === 'prepare') {
          return (sql: string) => {
            if (sql.startsWith('UPDATE operator_acts')) throw new Error('crashed')
            return db.prepare(sql)
          }
        }
        const value: unknown = Reflect.get(db, name)
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(db) : value
      },
    }),
  })

  it('is completed by sending it again, and settles once', async () => {
    const [author, hash] = [await owner(), freshHash()]
    await put(await creation(await owner(), hash))
    const signed = await settlement(hash, author.did)
    expect((await act(signed, crashing())).status).toBeGreaterThanOrEqual(500)
    dataOf(await act(signed))
    expect((await historyOf(hash)).entries).toHaveLength(2)
  })

  it('does not undo a later one when it is sent again', async () => {
    const [second, third, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(await owner(), hash))
    const signed = await settlement(hash, second.did)
    expect((await act(signed, crashing())).status).toBeGreaterThanOrEqual(500)
    await settle(hash, third)
    dataOf(await act(signed))
    const { creator_did, entries } = await historyOf(hash)
    expect([creator_did, entries.length]).toEqual([third.did, 3])
  })
})
