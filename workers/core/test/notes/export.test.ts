import { runInDurableObject } from 'cloudflare:test'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { ExportVerifier, type NoteExport, noteExportSchema, verifyReceipt } from '@svc/protocol/notes/log'
import type { TestCaller } from '@svc/testing'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { ask, attach, freshCiphertext, stored, vaultOf, vaultPath } from './notes.fixture.ts'

const RECEIPT_KEY = mlDsa65.publicKeyOf(new Uint8Array(32).fill(10)).then(encodeBase64url)

const exported = (by: TestCaller, cursor?: string) =>
  ask(by, 'GET', vaultPath(by, `/export${cursor === undefined ? '' : `?cursor=${cursor}`}`))
const pageOf = async (by: TestCaller, cursor?: string): Promise<NoteExport> =>
  noteExportSchema.parse((await exported(by, cursor)).data)

/** Reads all pages, and runs a hook after each. */
async function pagesOf(by: TestCaller, between: () => Promise<unknown> = async () => {}): Promise<NoteExport[]> {
  const pages = [await pageOf(by)]
  for (let cursor = pages[0]?.cursor ?? null; cursor !== null; ) {
    await between()
    const page = await pageOf(by, cursor)
    pages.push(page)
    cursor = page.cursor
  }
  return pages
}

/** The faults that a reader finds in the pages, page by page and at the end. */
function faultsOf(pages: readonly NoteExport[]) {
  const verifier = new ExportVerifier()
  return [...pages.map((page) => verifier.next(page)), verifier.end()].filter((fault) => fault !== null)
}

/** Inserts attachments of a note by reference, without an HTTP request for each. */
function referTo(by: TestCaller, noteId: string, cipherHash: string, count: number) {
  return runInDurableObject(vaultOf(by), async (vault) => {
    for (let i = 0; i < count; i++) {
      const attachment = { noteId, attachmentId: `a${i}`, cipherHash, bytes: 0, upload: null }
      const attached = await vault.attach(by.identity.did, attachment, { quotaBytes: 1e9 })
      if (!attached.ok) throw new Error('not attached')
    }
  })
}

describe('an export', () => {
  it('returns every entry with its content', async () => {
    const writer = await freshCaller()
    const first = await stored(writer, { noteId: 'one' })
    const second = await stored(writer, { noteId: 'one', operation: 'update' })
    const bytes = freshCiphertext(300)
    const { data: attachment } = await attach(writer, 'one', 'a', bytes)
    const { statement: _, ...page } = { ...(await pageOf(writer)), statement: null }
    expect(page.entries).toEqual([
      expect.objectContaining({ seq: 0, kind: 'version', version: 1, ciphertextB64u: first.ciphertextB64u, bytes: 64 }),
      expect.objectContaining({
        seq: 1,
        kind: 'version',
        version: 2,
        ciphertextB64u: second.ciphertextB64u,
        bytes: 64,
      }),
      {
        seq: 2,
        noteId: 'one',
        kind: 'attachment',
        version: null,
        attachmentId: 'a',
        recordHash: hashHex(bytes),
        acceptedAt: attachment['addedAt'],
        isErased: false,
        record: null,
        ciphertextB64u: null,
        bytes: 300,
      },
    ])
    const { ciphertextB64u: __, ...record } = second
    expect(page.entries[1]?.record).toEqual(record)
    expect(faultsOf([page])).toEqual([])
  })

  it('is signed, empty or not, by the key in the capabilities document', async () => {
    const writer = await freshCaller()
    for (const size of [0, 1]) {
      const { manifest, cursor } = await pageOf(writer)
      expect(manifest.statement).toMatchObject({
        type: 'svc/note-manifest/v1',
        realm: REALM,
        did: writer.identity.did,
        size,
      })
      expect(cursor).toBeNull()
      expect(await verifyReceipt(manifest, await RECEIPT_KEY, REALMS)).toBe(true)
      await stored(writer)
    }
  })

  it('has pages of a hundred entries, of the vault as it was at the first page', async () => {
    const writer = await freshCaller()
    const { statement } = await stored(writer, { noteId: 'n' })
    await referTo(writer, 'n', statement.cipherHash, 249)
    const pages = await pagesOf(writer, () => stored(writer))
    expect(pages.map(({ entries, cursor }) => [entries.length, cursor])).toEqual([
      [100, '100.250'],
      [100, '200.250'],
      [50, null],
    ])
    const closed = pages.map(({ manifest }) => [manifest.statement.size, manifest.statement.root])
    expect(new Set(closed.map(String)).size).toBe(1)
    expect(closed[0]?.[0]).toBe(250)
    for (const { manifest } of pages) expect(await verifyReceipt(manifest, await RECEIPT_KEY, REALMS)).toBe(true)
    expect(pages.flatMap(({ entries }) => entries.map(({ seq }) => seq))).toEqual(
      Array.from({ length: 250 }, (_, i) => i),
    )
    expect(faultsOf(pages)).toEqual([])
    expect((await pageOf(writer)).manifest.statement.size).toBe(252)
  })

  it('has pages of 4 MiB of ciphertext', async () => {
    const writer = await freshCaller()
    const ciphertext = freshCiphertext(704 * 1024)
    for (let i = 0; i < 7; i++) await stored(writer, { ciphertext })
    const pages = await pagesOf(writer)
    expect(pages.map(({ entries }) => entries.length)).toEqual([5, 2])
    expect(faultsOf(pages)).toEqual([])
    expect((await pageOf(writer, '5.7')).entries.map(({ seq }) => seq)).toEqual([5, 6])
  })

  it('contains a deleted note’s log entries and its tombstone, and is complete', async () => {
    const writer = await freshCaller()
    await stored(writer, { noteId: 'gone' })
    await attach(writer, 'gone', 'a', freshCiphertext())
    await stored(writer, { noteId: 'kept' })
    await ask(writer, 'DELETE', vaultPath(writer, '/gone'))
    const page = await pageOf(writer)
    const erased = { isErased: true, record: null, ciphertextB64u: null, bytes: null }
    expect(page.entries).toMatchObject([
      { noteId: 'gone', kind: 'version', ...erased },
      { noteId: 'gone', kind: 'attachment', attachmentId: 'a', ...erased },
      { noteId: 'kept', kind: 'version', isErased: false },
      { noteId: 'gone', kind: 'tombstone', recordHash: null, ...erased, isErased: false },
    ])
    expect(faultsOf([page])).toEqual([])
  })

  it('reveals that a note was deleted while it ran', async () => {
    const writer = await freshCaller()
    const { statement } = await stored(writer, { noteId: 'n' })
    await referTo(writer, 'n', statement.cipherHash, 100)
    const pages = await pagesOf(writer, () => ask(writer, 'DELETE', vaultPath(writer, '/n')))
    expect(pages[1]?.entries).toMatchObject([{ seq: 100, isErased: true }])
    expect(faultsOf(pages)).toEqual([{ reason: 'erased', seq: 100 }])
  })

  it('leaves out a stored record of an older format, which a reader reports', async () => {
    const writer = await freshCaller()
    await stored(writer)
    await runInDurableObject(vaultOf(writer), (_, { storage }) => {
      storage.sql.exec('UPDATE versions SET record = ?', '{"v":1,"title":"words"}')
    })
    const page = await pageOf(writer)
    expect(page.entries).toMatchObject([{ kind: 'version', isErased: false, record: null, ciphertextB64u: null }])
    expect(faultsOf([page])).toMatchObject([{ reason: 'record', seq: 0 }])
  })

  it('ends where it was to end', async () => {
    const writer = await freshCaller()
    await stored(writer)
    await stored(writer)
    expect(await pageOf(writer, '2.2')).toMatchObject({ entries: [], cursor: null })
    expect(await pageOf(writer, '1.1')).toMatchObject({
      entries: [],
      cursor: null,
      manifest: { statement: { size: 1 } },
    })
  })

  it.each(['0.3', '3.3', '2.1', '999999999999.999999999999'])('rejects %s: the log is shorter', async (cursor) => {
    const writer = await freshCaller()
    await stored(writer)
    await stored(writer)
    const behind = { status: 409, error: 'vault_behind', body: { details: { size: 2 } } }
    expect(await exported(writer, cursor)).toMatchObject(behind)
  })

  it.each(['', 'x', '1', '1.', '.1', '-1.2', '1.2.3', '1e1.2', '1234567890123.1'])(
    'is not asked for at "%s"',
    async (cursor) => {
      expect(await exported(await freshCaller(), cursor)).toMatchObject({ status: 400, error: 'invalid_request' })
    },
  )
})
