import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import {
  append,
  at,
  ciphertext,
  collect,
  DAY_MS,
  erase,
  HOUR_MS,
  keeper,
  listPagesOf,
  rebuild,
  reuse,
  upload,
  version,
} from '../vault.fixture.ts'

const [NOTE, SHARED, ALONE] = [ciphertext(0), ciphertext(1, 100), ciphertext(2, 1_000)]
const [noteHash, sharedHash, aloneHash] = [hashHex(NOTE), hashHex(SHARED), hashHex(ALONE)]
const TRUE_USAGE = { objects: 3, bytes: 1_164 }
const SOUND = { refs: [], missing: [], orphans: { objects: 0, bytes: 0 }, differences: 0 }

afterEach(() => {
  vi.useRealTimers()
})

/** A vault with three ciphertexts and four references, two of them to one. */
async function filled() {
  const { caller } = await keeper()
  await upload(caller, 'note', 'a', SHARED)
  await reuse(caller, 'note', 'b', SHARED)
  await append(caller, await version(caller, 'other', ALONE))
  return caller
}

const corrupt = (caller: TestCaller, ...statements: readonly string[]) =>
  runInDurableObject(vaultOf(caller), (_, { storage }) => {
    for (const statement of statements) storage.sql.exec(statement)
  })

/** Every row of every table, except those left by an owner’s act. */
const rowsOf = (caller: TestCaller) =>
  runInDurableObject(vaultOf(caller), (_, { storage }) =>
    ['notes', 'versions', 'attachments', 'changes', 'blobs', 'condemned', 'usage'].map((table) =>
      storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
    ),
  )
const blobsOf = (caller: TestCaller) =>
  runInDurableObject(vaultOf(caller), (_, { storage }) =>
    storage.sql.exec('SELECT cipher_hash, bytes, refs, unreferenced_since FROM blobs').toArray(),
  )
const keyOf = async (caller: TestCaller, hash: string) =>
  (await storedKeys(caller)).find((key) => key.includes(hash)) ?? ''

/** The dry run reports and changes nothing, the real one reports the same and repairs, and the next finds nothing. */
async function mended(caller: TestCaller, expected: object) {
  const before = [await rowsOf(caller), await storedKeys(caller)]
  const said = await rebuild(caller, { dryRun: true })
  expect(said).toMatchObject({ dryRun: true, ...expected })
  expect([await rowsOf(caller), await storedKeys(caller)]).toEqual(before)
  expect(await rebuild(caller)).toEqual({ ...said, dryRun: false })
  expect(await storedKeys(caller)).toEqual(before[1])
}
async function sound(caller: TestCaller) {
  const usage = { recorded: TRUE_USAGE, actual: TRUE_USAGE }
  expect(await rebuild(caller)).toEqual({ dryRun: false, ...SOUND, usage })
  expect(await vaultOf(caller).usage()).toEqual({ ...TRUE_USAGE, refs: 4 })
  expect(Object.fromEntries((await blobsOf(caller)).map((row) => [row['cipher_hash'], row]))).toEqual({
    [noteHash]: { cipher_hash: noteHash, bytes: 64, refs: 1, unreferenced_since: null },
    [sharedHash]: { cipher_hash: sharedHash, bytes: 100, refs: 2, unreferenced_since: null },
    [aloneHash]: { cipher_hash: aloneHash, bytes: 1_000, refs: 1, unreferenced_since: null },
  })
}

describe('a rebuild', () => {
  it('finds nothing in a vault that is sound', async () => {
    const caller = await filled()
    const before = await rowsOf(caller)
    await sound(caller)
    expect(await rowsOf(caller)).toEqual(before)
  })

  it('mends counts of references', async () => {
    const caller = await filled()
    await corrupt(
      caller,
      `UPDATE blobs SET refs = 7 WHERE cipher_hash = '${noteHash}'`,
      `UPDATE blobs SET refs = 0, unreferenced_since = ${Date.now()} WHERE cipher_hash = '${sharedHash}'`,
    )
    const refs = [
      { cipherHash: noteHash, recorded: 7, actual: 1 },
      { cipherHash: sharedHash, recorded: 0, actual: 2 },
    ].toSorted((a, b) => (a.cipherHash < b.cipherHash ? -1 : 1))
    await mended(caller, { ...SOUND, refs, differences: 2 })
    await sound(caller)
  })

  it.each(['bytes', 'objects', 'refs'])('mends the usage where it says a wrong number of %s', async (column) => {
    const caller = await filled()
    await corrupt(caller, `UPDATE usage SET ${column} = ${column} + 5`)
    await mended(caller, { ...SOUND, usage: { actual: TRUE_USAGE }, differences: 1 })
    await sound(caller)
  })

  it('restores a ciphertext that the index has lost, with all its references', async () => {
    const caller = await filled()
    await corrupt(
      caller,
      `DELETE FROM blobs WHERE cipher_hash = '${sharedHash}'`,
      'UPDATE usage SET bytes = bytes - 100, objects = objects - 1',
    )
    const recorded = { objects: 2, bytes: 1_064 }
    await mended(caller, { ...SOUND, usage: { recorded, actual: TRUE_USAGE }, differences: 2 })
    await sound(caller)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note/attachments/b'))).bytes).toEqual(SHARED)
  })

  it('restores an index that is gone entirely', async () => {
    const caller = await filled()
    await corrupt(caller, 'DELETE FROM blobs', 'UPDATE usage SET bytes = 0, objects = 0, refs = 0')
    const recorded = { objects: 0, bytes: 0 }
    await mended(caller, { ...SOUND, usage: { recorded, actual: TRUE_USAGE }, differences: 4 })
    await sound(caller)
  })

  it('does not take up what only claims to be the ciphertext', async () => {
    const caller = await filled()
    const key = await keyOf(caller, sharedHash)
    await env.BLOBS.put(`${key.slice(0, key.lastIndexOf('/'))}/0`, ciphertext(9, 100))
    await corrupt(caller, `DELETE FROM blobs WHERE cipher_hash = '${sharedHash}'`)
    await rebuild(caller)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note/attachments/a'))).bytes).toEqual(SHARED)
  })

  it('names what is missing, each time, and keeps its records', async () => {
    const caller = await filled()
    await env.BLOBS.delete(await keyOf(caller, aloneHash))
    await mended(caller, {
      ...SOUND,
      missing: [aloneHash],
      usage: { actual: { objects: 2, bytes: 164 } },
      differences: 2,
    })
    expect(await rebuild(caller)).toMatchObject({ ...SOUND, missing: [aloneHash], differences: 1 })
    expect(await caller.client.notes.history('other')).toMatchObject([{ version: 1, bytes: 1_000 }])
    expect((await ask(caller, 'GET', vaultPath(caller, '/other'))).status).toBe(503)
  })

  it('names what neither index nor store has', async () => {
    const caller = await filled()
    await env.BLOBS.delete(await keyOf(caller, aloneHash))
    await corrupt(caller, `DELETE FROM blobs WHERE cipher_hash = '${aloneHash}'`)
    const actual = { objects: 2, bytes: 164 }
    await mended(caller, { ...SOUND, missing: [aloneHash], usage: { actual }, differences: 2 })
    expect(await rebuild(caller)).toMatchObject({ missing: [aloneHash], differences: 1 })
  })

  it('counts what nothing knows, and leaves it to the collection', async () => {
    const caller = await filled()
    const prefix = `notes/${caller.identity.did}`
    await env.BLOBS.put(`${prefix}/${'00'.repeat(48)}/aa`, ciphertext(9, 10))
    await env.BLOBS.put(`${prefix}/${sharedHash}/ff`, SHARED)
    await env.BLOBS.put(`${prefix}/${'ff'.repeat(48)}/zz`, ciphertext(9, 10))
    await mended(caller, { ...SOUND, orphans: { objects: 3, bytes: 120 } })
    expect((await collect(caller)).orphans).toEqual({ objects: 0, bytes: 0 })
    at(Date.now() + DAY_MS + HOUR_MS)
    expect((await collect(caller)).orphans).toEqual({ objects: 3, bytes: 120 })
    await sound(caller)
  })

  it('leaves what waits to be collected, and what is not this vault’s', async () => {
    const caller = await filled()
    const neighbour = await filled()
    await erase(caller, 'other')
    const usage = { recorded: TRUE_USAGE, actual: TRUE_USAGE }
    await mended(caller, { ...SOUND, usage })
    expect(await vaultOf(caller).blob(aloneHash)).toMatchObject({ refs: 0, unreferencedSince: expect.any(Number) })
    await sound(neighbour)
  })
})

describe('a collection', () => {
  it('deletes nothing that records refer to, whatever the counts say', async () => {
    const caller = await filled()
    await corrupt(caller, 'UPDATE blobs SET refs = 0, unreferenced_since = 1')
    expect(await collect(caller)).toMatchObject({ collected: { objects: 0 }, waiting: { objects: 0 } })
    await sound(caller)
  })

  it('deletes nothing that records refer to, though the index has lost it', async () => {
    const caller = await filled()
    await corrupt(caller, 'DELETE FROM blobs', 'UPDATE usage SET bytes = 0, objects = 0')
    expect(await ask(caller, 'GET', vaultPath(caller, '/other'))).toMatchObject({ status: 503 })
    expect(await ask(caller, 'GET', vaultPath(caller, '/note/attachments/a'))).toMatchObject({ status: 503 })
    at(Date.now() + 30 * DAY_MS)
    expect((await collect(caller)).orphans).toEqual({ objects: 0, bytes: 0 })
    await rebuild(caller)
    await sound(caller)
  })

  it('deletes what a wrong count had kept, a day after a rebuild has seen it', async () => {
    const caller = await filled()
    await corrupt(caller, `UPDATE blobs SET refs = 9 WHERE cipher_hash = '${aloneHash}'`)
    await erase(caller, 'other')
    const start = Date.now() + 2 * DAY_MS
    at(start)
    expect(await collect(caller)).toMatchObject({ collected: { objects: 0 }, waiting: { objects: 0 } })
    expect(await rebuild(caller)).toMatchObject({
      refs: [{ cipherHash: aloneHash, recorded: 8, actual: 0 }],
    })
    expect((await collect(caller)).nextAt).toBeGreaterThan(start + DAY_MS)
    at(start + DAY_MS + 1_000)
    expect(await collect(caller)).toMatchObject({ collected: { objects: 1, bytes: 1_000 } })
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  it('finds uploads on every page of a listing, and keeps what is referred to on each', async () => {
    const caller = await filled()
    for (const i of [0, 1, 2, 3]) {
      await env.BLOBS.put(`notes/${caller.identity.did}/${`${i * 5}`.padStart(96, '0')}/aa`, ciphertext(i))
      await env.BLOBS.put(`notes/${caller.identity.did}/${`${i * 5}`.padStart(96, 'f')}/aa`, ciphertext(i))
    }
    const listing = listPagesOf(2)
    at(Date.now() + 30 * DAY_MS)
    expect(await rebuild(caller)).toMatchObject({ missing: [], orphans: { objects: 8, bytes: 512 }, differences: 0 })
    expect(listing).toHaveBeenCalledTimes(6)
    expect((await collect(caller)).orphans).toEqual({ objects: 8, bytes: 512 })
    await sound(caller)
  })
})
