import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { makeContactPass, makePrekeys } from '@svc/client/functions'
import { sha3_384 } from '@svc/pqc/sha3'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import type { PrekeyStock, ReservedPrekey } from '@svc/protocol/keys/directory'
import { contactTag, type DirectorySettings } from '@svc/protocol/keys/reserving'
import { type Exchange, expectRefusal } from '@svc/service/testing'
import { REALM, type TestCaller } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type PublishedDevice,
  type PublishedOptions,
  publishedDevice,
  reserve,
} from '../directory/directory.fixture.ts'
import { call, caller, dataOf, deviceFor } from '../harness.ts'
import { accountOf } from '../transparency/log.fixture.ts'
import { reservedBefore } from './reserved-before.fixture.ts'

const DAY = 86_400_000

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const isServed = ({ status }: Exchange) => status === 200
const settingsPath = ({ identity }: TestCaller) => `/api/key-directory/${identity.did}/settings`
const stockOf = async ({ owner, device }: PublishedDevice): Promise<readonly PrekeyStock[]> =>
  (await owner.client.keyDirectory.pool(device.deviceId)).stock

/** What the owners of these tests give to their contacts. */
const PASS = { contactPassB64u: makeContactPass() }
const known = ({ identity }: TestCaller) => ({ did: identity.did, passB64u: PASS.contactPassB64u })
const reserveAs = (by: TestCaller, device: PublishedDevice, key: string, asked: Parameters<typeof reserve>[3] = {}) =>
  reserve(by, device, key, { ...PASS, ...asked })

let friend: TestCaller
let strangers: readonly TestCaller[]
beforeAll(async () => {
  friend = await caller()
  strangers = await times(9, () => caller())
}, 30_000)
afterEach(() => {
  vi.useRealTimers()
})

/** A device of an owner who has one contact: the friend. */
async function befriended(options: PublishedOptions, reservedBy: DirectorySettings['reserve'] = 'anyone') {
  const owner = await caller()
  await owner.client.keyDirectory.configure({ reserve: reservedBy, contacts: [known(friend)] })
  return publishedDevice(owner, options)
}

/** As many requests as there are keys, by nine identities in turn. */
const drain = (device: PublishedDevice, count: number) =>
  times(count, (i) => reserve(strangers[i % strangers.length]!, device, `drain${i}`))

describe('strangers, however many identities they have', () => {
  it('leave a quarter of a pool to the contacts, who get all of it', async () => {
    const device = await befriended({ count: 20 })
    const drained = await drain(device, 27)
    expect(drained.filter(isServed)).toHaveLength(15)
    for (const answer of drained) if (!isServed(answer)) expectRefusal(answer, 'prekeys_exhausted')
    expect(await stockOf(device)).toMatchObject([{ oneTime: 5, kept: 5, low: true }])
    for (let i = 0; i < 5; i++) dataOf(await reserveAs(friend, device, `k${i}`))
    expectRefusal(await reserveAs(friend, device, 'k5'), 'prekeys_exhausted')
  })

  it('leave it at the same moment as contacts draw', async () => {
    const device = await befriended({ count: 20 })
    const [drained, drawn] = await Promise.all([drain(device, 20), times(5, (i) => reserveAs(friend, device, `k${i}`))])
    expect(drawn.filter(isServed)).toHaveLength(5)
    expect(drained.filter(isServed).length).toBeLessThanOrEqual(15)
    const ids = [...drained, ...drawn].filter(isServed).map((answer) => dataOf<ReservedPrekey>(answer).prekey.prekeyId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('get their part of each upload, and no more is kept than a quarter of what is left then', async () => {
    const device = await befriended({ count: 8 })
    expect((await drain(device, 9)).filter(isServed)).toHaveLength(6)
    const { upload } = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { count: 10 })
    await device.client.keyDirectory.addPrekeys(device.device.deviceId, [upload])
    expect(await stockOf(device)).toMatchObject([{ oneTime: 12, kept: 3 }])
    const again = await times(12, (i) => reserve(strangers[i % 9]!, device, `again${i}`))
    expect(again.filter(isServed)).toHaveLength(9)
  })

  it('have a limit of their own in 24 hours, and so have contacts', async () => {
    const device = await befriended({ count: 4 })
    await reservedBefore(device.owner, 'stranger')
    expectRefusal(await reserve(strangers[0]!, device, 'a'), 'reservation_limit')
    dataOf(await reserveAs(friend, device, 'a'))
    await reservedBefore(device.owner, 'contact')
    expectRefusal(await reserveAs(friend, device, 'b'), 'reservation_limit')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY + 1_000 })
    dataOf(await reserve(strangers[0]!, device, 'a'))
    dataOf(await reserveAs(friend, device, 'b'))
    vi.useRealTimers()
    // The nonces of callers who were a day ahead are refused until that day.
    friend = await caller()
    strangers = await times(9, () => caller())
  })
})

describe('an account that gives prekeys to contacts only', () => {
  it('looks to a stranger like one whose prekeys have run out', async () => {
    const closed = await befriended({ count: 4 }, 'contacts')
    const empty = await publishedDevice(await caller(), { count: 1 })
    dataOf(await reserve(strangers[0]!, empty, 'last'))
    const [refused, exhausted] = [await reserve(strangers[1]!, closed, 'k'), await reserve(strangers[1]!, empty, 'k')]
    expectRefusal(refused, 'prekeys_exhausted')
    const shownOf = ({ status, headers, body }: Exchange) => ({
      status,
      headers: [...headers.keys()].toSorted(),
      body: { ...(body as object), timestamp: 0 },
    })
    expect(shownOf(refused)).toEqual(shownOf(exhausted))
    expect(await stockOf(closed)).toMatchObject([{ oneTime: 4, kept: 4 }])
    dataOf(await reserveAs(friend, closed, 'k'))
  })

  it('falls back to the last resort for a stranger who allows it, as an empty pool does', async () => {
    const device = await befriended({ profile: 'open-v4', count: 2, lastResort: true }, 'contacts')
    const asked = { profile: 'open-v4', fallbackPolicy: 'last-resort-allowed' } as const
    expect(dataOf<ReservedPrekey>(await reserve(strangers[0]!, device, 'k', asked)).usedFallback).toBe(true)
    expect(dataOf<ReservedPrekey>(await reserveAs(friend, device, 'k', asked)).usedFallback).toBe(false)
  })

  it('is its own contact: its devices write to each other', async () => {
    const device = await befriended({ count: 1 }, 'contacts')
    const other = await deviceFor(device.owner, { capabilities: ['prekeys:reserve'] })
    dataOf(await reserve(other, device, 'k'))
  })

  it('keeps to what it gave before: the same request returns the same prekey', async () => {
    const owner = await caller()
    const device = await publishedDevice(owner)
    const first = dataOf(await reserve(strangers[0]!, device, 'k'))
    await owner.client.keyDirectory.configure({ reserve: 'contacts', contacts: [] })
    expect(dataOf(await reserve(strangers[0]!, device, 'k'))).toEqual(first)
    // Having been served does not make a contact.
    expectRefusal(await reserve(strangers[0]!, device, 'other'), 'prekeys_exhausted')
  })
})

describe('the tags of contacts', () => {
  it('lead to nobody, with a list of all DIDs and whatever the directory has', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const device = await publishedDevice(owner, { count: 4 })
    await owner.client.keyDirectory.configure({ reserve: 'contacts', contacts: [known(friend)] })
    dataOf(await reserveAs(friend, device, 'k'))
    const { contacts } = await owner.client.keyDirectory.settings()
    const everybody = [owner, friend, ...strangers].map(({ identity }) => identity.did)
    const guessed = everybody.map((requesterDid) => {
      const digest = sha3_384(jcsBytes({ type: 'svc/prekey-contact/v1', accountDid: did, requesterDid }))
      return encodeBase64url(digest.subarray(0, 24))
    })
    expect(contacts.filter((tag) => guessed.includes(tag))).toEqual([])
    // The pass, which would make it possible, is in no row.
    expect(await storedOf(owner)).not.toContain(PASS.contactPassB64u)
  })

  it('know a contact by the pass alone, and another is refused with it', async () => {
    const device = await befriended({ count: 4 }, 'contacts')
    expectRefusal(await reserve(friend, device, 'none'), 'prekeys_exhausted')
    expectRefusal(await reserve(friend, device, 'other', { contactPassB64u: makeContactPass() }), 'prekeys_exhausted')
    expectRefusal(await reserveAs(strangers[0]!, device, 'stolen'), 'prekeys_exhausted')
    expectRefusal(await reserve(friend, device, 'short', { contactPassB64u: 'AAAA' }), 'invalid_request')
    dataOf(await reserveAs(friend, device, 'k'))
    // A repeated request is the same with or without it.
    dataOf(await reserve(friend, device, 'k'))
  })

  it('of the form without a pass are of strangers', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const device = await publishedDevice(owner, { count: 4 })
    const former = sha3_384(
      jcsBytes({ type: 'svc/prekey-contact/v1', accountDid: did, requesterDid: friend.identity.did }),
    )
    const body = { reserve: 'contacts', contacts: [encodeBase64url(former.subarray(0, 24))] }
    dataOf(await call(owner, 'PUT', settingsPath(owner), { body }))
    for (const asked of [{}, PASS])
      expectRefusal(await reserve(friend, device, JSON.stringify(asked).slice(0, 8), asked), 'prekeys_exhausted')
  })
})

describe('the settings of an account', () => {
  it('are those of a new one by default, which keeps nothing back, and setting those makes nothing', async () => {
    const owner = await caller()
    expect(await owner.client.keyDirectory.settings()).toEqual({ reserve: 'anyone', contacts: [] })
    await owner.client.keyDirectory.configure({ reserve: 'anyone', contacts: [] })
    expect(await tablesOf(owner)).toEqual([])
    const device = await publishedDevice(owner, { count: 2 })
    expect((await drain(device, 2)).filter(isServed)).toHaveLength(2)
  })

  it('are tags, not DIDs, replaced as a whole, and survive a restart', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const tagOf = ({ identity }: TestCaller) => contactTag(did, identity.did, PASS.contactPassB64u)
    const tag = tagOf(friend)
    const other = strangers[0]!
    const put = await owner.client.keyDirectory.configure({
      reserve: 'contacts',
      contacts: [known(other), known(friend)],
    })
    expect(put).toEqual({ reserve: 'contacts', contacts: [tagOf(other), tag].toSorted() })
    await owner.client.keyDirectory.configure({ reserve: 'contacts', contacts: [known(friend)] })
    await evictDurableObject(accountOf(owner))
    const settings = await owner.client.keyDirectory.settings()
    expect(settings).toEqual({ reserve: 'contacts', contacts: [tag] })
    expect(JSON.stringify(settings)).not.toContain(friend.identity.did)
    await owner.client.keyDirectory.configure({ reserve: 'anyone', contacts: [] })
    expect(await owner.client.keyDirectory.settings()).toEqual({ reserve: 'anyone', contacts: [] })
  })

  it('hold 2,000 contacts and no more', async () => {
    const owner = await caller()
    const contacts = Array.from({ length: 2_001 }, (_, i) => i.toString(36).padStart(32, '0'))
    const put = (some: readonly string[]) =>
      call(owner, 'PUT', settingsPath(owner), { body: { reserve: 'anyone', contacts: some } })
    expect(dataOf<{ contacts: string[] }>(await put(contacts.slice(1))).contacts).toHaveLength(2_000)
    expectRefusal(await put(contacts), 'too_many_items')
    expectRefusal(await put([friend.identity.did]), 'invalid_request')
  })

  it('are the owner’s alone, and need the root key to change', async () => {
    const [owner, other] = [await caller(), strangers[0]!]
    const body = { reserve: 'contacts', contacts: [] }
    expectRefusal(await call(other, 'PUT', settingsPath(owner), { body }), 'owner_mismatch')
    expectRefusal(await call(other, 'GET', settingsPath(owner)), 'owner_mismatch')
    const device = await deviceFor(owner, { capabilities: ['prekeys:write'] })
    expectRefusal(await call(device, 'PUT', settingsPath(owner), { body }), 'capability_required')
    expect(dataOf(await call(device, 'GET', settingsPath(owner)))).toEqual({ reserve: 'anyone', contacts: [] })
  })

  it('are those of the last of twenty changes', async () => {
    const owner = await caller()
    const { keyDirectory } = owner.client
    await times(20, (i) =>
      keyDirectory.configure({ reserve: i % 2 ? 'anyone' : 'contacts', contacts: [known(strangers[i % 9]!)] }),
    )
    await keyDirectory.configure({ reserve: 'contacts', contacts: [known(friend)] })
    expect((await keyDirectory.settings()).contacts).toEqual([
      contactTag(owner.identity.did, friend.identity.did, PASS.contactPassB64u),
    ])
  })
})

const tablesOf = (owner: TestCaller) =>
  runInDurableObject(accountOf(owner), (_, { storage: { sql } }) =>
    sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  )

/** Every row of the account, as text. */
const storedOf = (owner: TestCaller) =>
  runInDurableObject(accountOf(owner), (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .toArray()
    return JSON.stringify(tables.map(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray()))
  })
