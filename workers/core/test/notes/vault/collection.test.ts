import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import type { TestCaller } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendWith } from '../../harness.ts'
import { ask, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import {
  append,
  at,
  breakStore,
  ciphertext,
  collect,
  DAY_MS,
  erase,
  HOUR_MS,
  keeper,
  rebuild,
  reuse,
  storeMethods,
  upload,
  vaultsWith,
  version,
} from '../vault.fixture.ts'

const GONE = ciphertext(7, 700)
const NOTHING = { objects: 0, bytes: 0 }
const TAKEN = { objects: 1, bytes: 700 }

// In a future that the runtime does not reach, alarms run when they are told.
beforeEach(() => at(Date.now() + DAY_MS))
afterEach(() => {
  vi.useRealTimers()
})

/** A vault with one note, and a ciphertext that nothing has referred to since now. */
async function released() {
  const { caller } = await keeper()
  await append(caller, await version(caller, 'gone', GONE))
  await erase(caller, 'gone')
  return { caller, since: Date.now() }
}
const probe = async (caller: TestCaller) =>
  (await ask(caller, 'HEAD', vaultPath(caller, `/cas/${hashHex(GONE)}`))).status
const attachment = (caller: TestCaller, name: string) =>
  ask(caller, 'GET', vaultPath(caller, `/note/attachments/${name}`))

describe('a collection', () => {
  it('waits a day to the millisecond, and says until when', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS - 2)
    expect(await collect(caller)).toEqual({
      collected: NOTHING,
      orphans: NOTHING,
      waiting: TAKEN,
      nextAt: since + DAY_MS,
    })
    expect(await storedKeys(caller)).toHaveLength(2)
    expect(await collect(caller)).toEqual({ collected: TAKEN, orphans: NOTHING, waiting: NOTHING, nextAt: null })
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 64, objects: 1, refs: 1 })
    expect(await probe(caller)).toBe(404)
  })

  it('counts the day anew for what was referred to again and released again', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS - HOUR_MS)
    expect((await reuse(caller, 'note', 'a', GONE)).status).toBe(200)
    at(since + 2 * DAY_MS)
    expect(await collect(caller)).toMatchObject({ collected: NOTHING, waiting: NOTHING, nextAt: null })
    await erase(caller)
    expect((await collect(caller)).waiting).toEqual({ objects: 2, bytes: 764 })
    expect((await attachment(caller, 'a')).status).toBe(404)
  })

  it('is done once, however many ask at once', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS)
    const { did } = caller.identity
    const ids = Array.from({ length: 20 }, (_, i) => ({ hash: `${i}`, keepUntil: Date.now() }))
    const answers = await Promise.all([
      ...ids.map((statement) => vaultOf(caller).collect(did, statement)),
      vaultOf(caller).rebuild(did, { hash: 'rebuild', keepUntil: Date.now() }, false),
    ])
    const sums = answers.map((answer) =>
      answer.ok && 'collected' in answer.value ? answer.value.collected.objects : 0,
    )
    expect(sums.toSorted((a, b) => b - a).slice(0, 2)).toEqual([1, 0])
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await rebuild(caller, { dryRun: true })).toMatchObject({ differences: 0, missing: [] })
  })

  it('takes one statement once, though twenty bring it at once', async () => {
    const { caller } = await released()
    const { did } = caller.identity
    const statement = { type: 'svc/note-gc/v1', realm: REALM, did, inception: null, issuedAt: Date.now() } as const
    const signed = await signStatement(statement, signerOf(caller.identity))
    const path = vaultPath(caller, '/cas/gc')
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(null, 'POST', path, { json: signed })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'statement_replay')).toHaveLength(19)
  })
})

describe('a rebuild', () => {
  it('calls nothing missing that was sent after its page was listed', async () => {
    const { caller } = await keeper()
    const { did, userId: keyId } = caller.identity
    const { list } = storeMethods()
    const cipherHash = hashHex(GONE)
    const r2Key = `notes/${did}/${cipherHash}/late`
    const columns = { noteId: 'late', recordHash: 'late', cipherHash, bytes: 700, keyId, follows: null, record: '{}' }
    const late = { ...columns, operation: 'create', r2Key, startedAt: Date.now() } as const
    const rebuilt = await runInDurableObject(vaultOf(caller), (vault) => {
      vi.spyOn(storeMethods(), 'list').mockImplementation(async function (this: R2Bucket, options) {
        const page = await list.call(this, options)
        await env.BLOBS.put(r2Key, GONE)
        await vault.append(did, late, { quotaBytes: 1_000 })
        return page
      })
      return vault.rebuild(did, { hash: 'rebuild', keepUntil: Date.now() }, false)
    })
    expect(rebuilt).toMatchObject({ value: { missing: [], differences: 0 } })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 764, objects: 2, refs: 2 })
  })
})

describe('a ciphertext that is about to be collected', () => {
  it('stays when it is referred to between the probe and the collection', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS)
    expect(await probe(caller)).toBe(200)
    expect(await reuse(caller, 'note', 'a', GONE)).toMatchObject({ status: 200, data: { bytes: 700 } })
    expect(await vaultOf(caller).blob(hashHex(GONE))).toMatchObject({ refs: 1, unreferencedSince: null })
    expect((await collect(caller)).collected).toEqual(NOTHING)
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect((await attachment(caller, 'a')).bytes).toEqual(GONE)
  })

  it('is to be sent when it was collected between the probe and the reference', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS)
    expect(await probe(caller)).toBe(200)
    expect((await collect(caller)).collected).toEqual(TAKEN)
    expect(await reuse(caller, 'note', 'a', GONE)).toMatchObject({ status: 404, error: 'not_found' })
    expect((await upload(caller, 'note', 'a', GONE)).status).toBe(200)
    expect((await attachment(caller, 'a')).bytes).toEqual(GONE)
  })

  it('is taken again when it is collected while it is being sent', async () => {
    vi.useRealTimers()
    const { caller, since } = await released()
    await runInDurableObject(vaultOf(caller), (_, { storage }) => {
      storage.sql.exec('UPDATE blobs SET unreferenced_since = ? WHERE refs = 0', since - DAY_MS)
    })
    const meanwhile = sendWith(vaultsWith({ before: { attach: () => collect(caller) } }))
    expect((await upload(caller, 'note', 'a', GONE, meanwhile)).status).toBe(200)
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await attachment(caller, 'a')).bytes).toEqual(GONE)
  })

  it('outlives the key under which it was condemned', async () => {
    const { caller, since } = await released()
    at(since + DAY_MS)
    const deleting = breakStore('delete')
    await expect(collect(caller)).rejects.toMatchObject({ status: 503 })
    expect(await probe(caller)).toBe(404)
    expect((await upload(caller, 'note', 'a', GONE)).status).toBe(200)
    expect(await storedKeys(caller)).toHaveLength(3)
    expect(await rebuild(caller)).toMatchObject({ differences: 0, orphans: NOTHING })
    deleting.mockRestore()
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await attachment(caller, 'a')).bytes).toEqual(GONE)
    expect(await rebuild(caller)).toMatchObject({ differences: 0, orphans: NOTHING })
  })

  it('leaves the store in one delete of many keys', async () => {
    const { caller, since } = await released()
    await runInDurableObject(vaultOf(caller), (_, { storage }) => {
      for (let i = 0; i < 1_200; i++) {
        const key = `notes/${caller.identity.did}/${i}/x`
        storage.sql.exec('INSERT INTO blobs VALUES (?, ?, 1, 0, ?)', `hash ${i}`, key, since)
      }
      storage.sql.exec('UPDATE usage SET bytes = bytes + 1200, objects = objects + 1200')
    })
    at(since + DAY_MS)
    expect((await collect(caller)).collected).toEqual({ objects: 1_201, bytes: 1_900 })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 64, objects: 1, refs: 1 })
    expect(await storedKeys(caller)).toHaveLength(1)
  })
})
