import type { AttachedFile, Client, Note } from '@svc/client'
import type { NoteAnswer } from '@svc/protocol/notes/api'
import type { DeletionReceipt, NoteExport } from '@svc/protocol/notes/log'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { answerOf, clientOver, exportOf, filled, lying } from './sdk.fixture.ts'

let alice: TestCaller
let one: Note
let two: Note
let mallory: TestCaller

const before = (change: Parameters<typeof lying>[1], path = /./): Client =>
  clientOver(lying(path, change), { identity: alice.identity })

beforeAll(async () => {
  alice = await freshCaller()
  mallory = await freshCaller()
  const { notes } = alice.client
  const first = await notes.put({ body: 'one' })
  one = await notes.put({ body: 'one, again' }, first)
  two = await notes.put({ body: 'two' })
  one = await notes.attach(one, { name: 'f', type: 't', bytes: filled(2 * 65_536) })
  const gone = await notes.put({ body: 'gone' })
  await notes.delete(gone.noteId)
})

describe('a service that answers for a note', () => {
  it('with another note is caught', async () => {
    const other = { ...(await answerOf(alice, two.noteId)) }
    await expect(before(() => other).notes.get(one.noteId)).rejects.toThrow('Core answered for a different note')
    const renamed = { ...other, noteId: one.noteId }
    await expect(before(() => renamed).notes.get(one.noteId)).rejects.toThrow('The record does not match this note')
  })

  it('with another version than was asked for is caught', async () => {
    const { attachments: _, ...newest } = await answerOf(alice, one.noteId)
    await expect(before(() => newest).notes.get(one.noteId, 1)).rejects.toThrow('Core answered for a different note')
  })

  it.each([
    ['another hash', { recordHash: 'a7'.repeat(48) }, 'The record does not match this note'],
    ['another ciphertext', { ciphertextB64u: 'A'.repeat(400) }, 'The record does not match this note'],
    ['no ciphertext', { ciphertextB64u: '' }, 'The record does not match this note'],
    ['another signature', { signatureB64u: 'A'.repeat(4412) }, 'The signature of a note is invalid'],
  ])('with %s is caught', async (_, members, error) => {
    await expect(before((data: NoteAnswer) => ({ ...data, ...members })).notes.get(one.noteId)).rejects.toThrow(error)
  })

  it('with a record of another identity, encrypted to this one, is caught', async () => {
    const { noteId } = await mallory.client.notes.put({ body: 'mine' })
    const theirs = { ...(await answerOf(mallory, noteId)), noteId: one.noteId }
    await expect(before(() => theirs).notes.get(one.noteId)).rejects.toThrow('The record does not match this note')
  })
})

describe('a service that answers for what was done', () => {
  it('with another version than was written is caught', async () => {
    const client = before((data: object) => ({ ...data, recordHash: one.recordHash }), /notes\/did:svc:[^/]+$/)
    await expect(client.notes.put({ body: 'new' })).rejects.toThrow('Core answered for a different note')
  })

  it.each([
    ['of another note', { noteId: 'other' }, 'different_answer'],
    ['of another identity', { did: `did:svc:${'A'.repeat(32)}` }, 'different_answer'],
    ['that was changed', { versions: 9 }, 'invalid_signature'],
    ['of another log', { root: 'a7'.repeat(48) }, 'invalid_signature'],
  ])('with a receipt %s is caught', async (_, members, reason) => {
    const note = await alice.client.notes.put({ body: 'gone soon' })
    const client = before((data: DeletionReceipt) => ({ ...data, statement: { ...data.statement, ...members } }))
    await expect(client.notes.delete(note.noteId)).rejects.toMatchObject({ subject: 'receipt', reason })
    expect((await alice.client.notes.delete(note.noteId)).statement.noteId).toBe(note.noteId)
  })

  it('with the bytes of another attachment, or with fewer, is caught', async () => {
    const [file] = one.attachments
    const changed = (change: (bytes: Uint8Array) => Uint8Array) =>
      clientOver(
        async (request) => {
          const response = await send(request)
          return new Response(change(new Uint8Array(await response.arrayBuffer())), response)
        },
        { identity: alice.identity },
      )
    const cut = 'The attachment was modified'
    const streamed = async (notes: Client['notes'], of: AttachedFile) =>
      new Response(await notes.attachmentStream(one.noteId, of)).arrayBuffer()
    for (const length of [0, 65_552, 2 * 65_552 - 1]) {
      const { notes } = changed((bytes) => bytes.slice(0, length))
      await expect(notes.attachment(one.noteId, file!)).rejects.toThrow(cut)
      await expect(notes.attachment(one.noteId, file!, { start: 1, end: 131_072 })).rejects.toThrow(cut)
      await expect(streamed(notes, file!)).rejects.toThrow(cut)
    }
    const longer = changed((bytes) => Uint8Array.from([...bytes, 0])).notes
    await expect(streamed(longer, file!)).rejects.toThrow(cut)
    const flipped = changed((bytes) => bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte))).notes
    await expect(flipped.attachment(one.noteId, file!)).rejects.toThrow(cut)
    await expect(flipped.attachment(one.noteId, file!, { start: 0, end: 1 })).rejects.toThrow(cut)
    await expect(streamed(flipped, file!)).rejects.toThrow(cut)
  })
})

describe('a service that answers for a vault', () => {
  const exported = (change: (page: NoteExport) => unknown) => exportOf(before(change, /\/export$/))

  it('with the whole of it is believed', async () => {
    expect(await exported((page) => page)).toHaveLength(2)
  })

  it.each([
    ['without an entry', (page: NoteExport) => ({ ...page, entries: page.entries.slice(1) }), /gap at 1/],
    [
      'without the last entries',
      (page: NoteExport) => ({ ...page, entries: page.entries.slice(0, 2) }),
      /incomplete at 2/,
    ],
    [
      'with a version passed off as erased',
      (page: NoteExport) => ({
        ...page,
        entries: page.entries.map((entry, i) =>
          i === 0 ? { ...entry, isErased: true, record: null, ciphertextB64u: null, bytes: null } : entry,
        ),
      }),
      /erased at 0/,
    ],
    [
      'with another manifest than it signed',
      (page: NoteExport) => ({
        ...page,
        manifest: { ...page.manifest, statement: { ...page.manifest.statement, issuedAt: 1 } },
      }),
      'The manifest is not signed by the service',
    ],
  ])('%s is caught', async (_, change, error) => {
    await expect(exported(change)).rejects.toThrow(error)
  })

  it('with an empty vault of somebody else is caught', async () => {
    const fresh = await freshCaller()
    const [item] = await exportOf(fresh.client)
    if (item?.kind !== 'page') throw new Error('an export begins with a page')
    await expect(exported(() => item.page)).rejects.toThrow('The export belongs to another identity')
  })
})
