import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, sendWith } from '../../harness.ts'
import { ask, attach, kept, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import {
  append,
  at,
  breakStore,
  broken,
  ciphertext,
  collect,
  DAY_MS,
  erase,
  keeper,
  rebuild,
  reuse,
  storeWith,
  upload,
  vaultsWith,
  version,
} from '../vault.fixture.ts'

const UNAVAILABLE = { status: 503, error: 'dependency_unavailable' }
const ONE_NOTE = { bytes: 64, objects: 1, refs: 1 }

afterEach(() => {
  vi.useRealTimers()
})

const failures = [
  ['the store takes nothing', storeWith({ before: { put: broken } }), 0],
  ['the store has taken it and does not say so', storeWith({ after: { put: broken } }), 1],
  ['the vault is not asked', vaultsWith({ before: { append: broken, attach: broken } }), 1],
] as const

describe.each(failures)('when %s', (_, bindings, left) => {
  const failing = sendWith(bindings)

  it('shows no note, takes it when it is sent again, and collects what was left', async () => {
    const { caller } = await keeper()
    const note = await version(caller, 'second', ciphertext(2))
    expect(await append(caller, note, failing)).toMatchObject(UNAVAILABLE)
    expect(await caller.client.notes.list()).toMatchObject({ notes: [{ noteId: 'note' }], size: 1 })
    expect((await ask(caller, 'GET', vaultPath(caller, '/second'))).status).toBe(404)
    expect((await ask(caller, 'HEAD', vaultPath(caller, `/cas/${note.statement.cipherHash}`))).status).toBe(404)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    expect(await storedKeys(caller)).toHaveLength(1 + left)
    expect(await append(caller, note)).toMatchObject({ status: 200, data: { version: 1, seq: 1 } })
    expect((await collect(caller)).orphans).toEqual({ objects: 0, bytes: 0 })
    at(Date.now() + DAY_MS + 60_000)
    expect((await collect(caller)).orphans).toEqual({ objects: left, bytes: left * 64 })
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await ask(caller, 'GET', vaultPath(caller, '/second'))).data['ciphertextB64u']).toBe(note.ciphertextB64u)
  })

  it('shows no attachment, takes it when it is sent again, and collects what was left', async () => {
    const { caller } = await keeper()
    expect(await upload(caller, 'note', 'a', ciphertext(3, 500), failing)).toMatchObject(UNAVAILABLE)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note'))).data['attachments']).toEqual([])
    expect((await ask(caller, 'GET', vaultPath(caller, '/note/attachments/a'))).status).toBe(404)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    expect(await upload(caller, 'note', 'a', ciphertext(3, 500))).toMatchObject({ status: 200, data: { seq: 1 } })
    at(Date.now() + DAY_MS + 60_000)
    expect((await collect(caller)).orphans).toEqual({ objects: left, bytes: left * 500 })
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note/attachments/a'))).bytes).toEqual(ciphertext(3, 500))
  })

  it('has its alarm delete what was left, without the owner', async () => {
    const { caller } = await keeper()
    expect(await append(caller, await version(caller, 'second', ciphertext(2)), failing)).toMatchObject(UNAVAILABLE)
    expect(await upload(caller, 'note', 'a', ciphertext(3, 500), failing)).toMatchObject(UNAVAILABLE)
    expect(await storedKeys(caller)).toHaveLength(1 + 2 * left)
    at(Date.now() + DAY_MS - 60_000)
    await runDurableObjectAlarm(vaultOf(caller))
    expect(await storedKeys(caller)).toHaveLength(1 + 2 * left)
    at(Date.now() + 2 * 60_000)
    await runDurableObjectAlarm(vaultOf(caller))
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    expect((await kept(caller)).tables['uploads']).toBe(0)
  })

  it('leaves nothing for ever of the first note of a vault', async () => {
    const caller = await freshCaller()
    expect(await append(caller, await version(caller, 'note', ciphertext(0)), failing)).toMatchObject(UNAVAILABLE)
    expect(await storedKeys(caller)).toHaveLength(left)
    at(Date.now() + DAY_MS + 60_000)
    expect((await collect(caller)).orphans).toEqual({ objects: left, bytes: left * 64 })
    expect(await storedKeys(caller)).toEqual([])
  })
})

describe('when the vault has taken it and the answer is lost', () => {
  const failing = sendWith(vaultsWith({ after: { append: broken, attach: broken, tombstone: broken } }))

  it('returns the same version to a retry, and keeps one ciphertext', async () => {
    const { caller } = await keeper()
    const note = await version(caller, 'second', ciphertext(2))
    expect(await append(caller, note, failing)).toMatchObject(UNAVAILABLE)
    expect((await ask(caller, 'GET', vaultPath(caller, '/second'))).status).toBe(200)
    expect(await append(caller, note)).toMatchObject({ status: 200, data: { version: 1, seq: 1 } })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 2 })
    at(Date.now() + DAY_MS + 60_000)
    await collect(caller)
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await ask(caller, 'GET', vaultPath(caller, '/second'))).data['ciphertextB64u']).toBe(note.ciphertextB64u)
  })

  it('gives the same attachment', async () => {
    const { caller } = await keeper()
    expect(await upload(caller, 'note', 'a', ciphertext(3), failing)).toMatchObject(UNAVAILABLE)
    expect(await upload(caller, 'note', 'a', ciphertext(3))).toMatchObject({ status: 200, data: { seq: 1 } })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 2 })
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  it('gives the same receipt', async () => {
    const { caller } = await keeper()
    expect(await erase(caller, 'note', failing)).toMatchObject(UNAVAILABLE)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note'))).status).toBe(404)
    const [first, second] = [await erase(caller), await erase(caller)]
    expect(first.data['statement']).toMatchObject({ seq: 1, size: 2, versions: 1 })
    expect(second.data['statement']).toEqual(first.data['statement'])
  })
})

describe('when the store', () => {
  it('gives nothing, a note is unavailable and not empty', async () => {
    const { caller } = await keeper()
    await upload(caller, 'note', 'a', ciphertext(3))
    const down = { fetch: sendWith(storeWith({ before: { get: broken } })) }
    for (const path of ['/note', '/note/versions/1', '/note/attachments/a', '/export']) {
      expect(await ask(caller, 'GET', vaultPath(caller, path), down)).toMatchObject(UNAVAILABLE)
    }
    expect((await ask(caller, 'GET', vaultPath(caller), down)).data).toMatchObject({ size: 2 })
  })

  it('has lost the ciphertexts, a note is unavailable and not empty', async () => {
    const { caller } = await keeper()
    await upload(caller, 'note', 'a', ciphertext(3))
    await env.BLOBS.delete(await storedKeys(caller))
    for (const path of ['/note', '/note/versions/1', '/note/attachments/a', '/export']) {
      expect(await ask(caller, 'GET', vaultPath(caller, path))).toMatchObject(UNAVAILABLE)
    }
    expect((await ask(caller, 'GET', vaultPath(caller, '/storage'))).data).toMatchObject({ bytesUsed: 128 })
  })

  it('deletes nothing, what is refused is refused, and collected later', async () => {
    const { caller } = await keeper()
    const down = sendWith(storeWith({ before: { delete: broken } }))
    expect(await append(caller, await version(caller, 'note', ciphertext(4)), down)).toMatchObject({
      status: 409,
      error: 'note_exists',
    })
    const wrong = { fetch: down, headers: { 'content-length': '64' }, cipherHash: hashHex(ciphertext(6)) }
    expect(await attach(caller, 'note', 'a', ciphertext(5), wrong)).toMatchObject({
      status: 400,
      error: 'hash_mismatch',
    })
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    // The version was refused before anything was stored.
    expect(await storedKeys(caller)).toHaveLength(2)
    at(Date.now() + DAY_MS + 60_000)
    expect((await collect(caller)).orphans).toEqual({ objects: 1, bytes: 64 })
    expect(await storedKeys(caller)).toHaveLength(1)
  })

  it('lists nothing, neither a collection nor a rebuild says that there is nothing', async () => {
    const { caller } = await keeper()
    breakStore('list')
    await expect(collect(caller)).rejects.toMatchObject(UNAVAILABLE)
    await expect(rebuild(caller)).rejects.toMatchObject(UNAVAILABLE)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
    vi.restoreAllMocks()
    expect(await rebuild(caller, { dryRun: true })).toMatchObject({ differences: 0, missing: [] })
  })

  it('does not say what it has, a rebuild calls nothing missing', async () => {
    const { caller } = await keeper()
    await env.BLOBS.delete(await storedKeys(caller))
    breakStore('head')
    await expect(rebuild(caller, { dryRun: true })).rejects.toMatchObject(UNAVAILABLE)
  })
})

describe('when the vault cannot be reached', () => {
  it('says so on every route and never shows an empty vault', async () => {
    const { caller, first } = await keeper()
    const unreachable = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) }) }
    const fetch = sendWith({ NOTE_VAULTS: unreachable })
    const hash = first.statement.cipherHash
    const reads = ['', '/storage', '/export', '/note', '/note/versions', '/note/versions/1', '/note/attachments/a']
    for (const path of [...reads, '/cas/refs', `/cas/${hash}`]) {
      expect(await ask(caller, 'GET', vaultPath(caller, path), { fetch })).toMatchObject(UNAVAILABLE)
    }
    expect((await ask(caller, 'HEAD', vaultPath(caller, `/cas/${hash}`), { fetch })).status).toBe(503)
    expect(await erase(caller, 'note', fetch)).toMatchObject(UNAVAILABLE)
    expect(await append(caller, first, fetch)).toMatchObject(UNAVAILABLE)
    expect(await upload(caller, 'note', 'a', ciphertext(1), fetch)).toMatchObject(UNAVAILABLE)
    expect(await vaultOf(caller).usage()).toEqual(ONE_NOTE)
  })
})

describe('a reference without an upload', () => {
  it('is taken with an assertion that is bound to its empty body', async () => {
    const { caller } = await keeper()
    expect(await reuse(caller, 'note', 'a', ciphertext(0))).toMatchObject({
      status: 200,
      data: { cipherHash: hashHex(ciphertext(0)), bytes: 64, seq: 1 },
    })
    expect(await reuse(caller, 'note', 'b', ciphertext(1))).toMatchObject({ status: 404, error: 'not_found' })
  })
})
