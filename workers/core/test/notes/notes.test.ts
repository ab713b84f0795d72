import type { ArchivedItem } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'

describe('notes', () => {
  it('are written, read, changed and listed', async () => {
    const { client } = await freshCaller()
    const first = await client.notes.put({ title: 'Shopping', body: 'eggs', tags: ['home'] })
    const second = await client.notes.put({ body: 'eggs, milk' }, first)
    expect(second).toMatchObject({ version: 2, follows: first.recordHash, isConcurrent: false })
    expect(await client.notes.get(first.noteId)).toMatchObject({ body: 'eggs, milk', version: 2 })
    expect(await client.notes.get(first.noteId, 1)).toMatchObject({ title: 'Shopping', body: 'eggs', tags: ['home'] })
    expect((await client.notes.history(first.noteId)).map(({ version }) => version)).toEqual([1, 2])
    expect(await client.notes.list()).toMatchObject({
      notes: [{ noteId: first.noteId, version: 2 }],
      cursor: '2',
      more: false,
    })
  })

  it('can have attachments, which can be read in ranges', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'a photograph' })
    const bytes = new Uint8Array(200_000).map((_, i) => i % 251)
    const attached = await client.notes.attach(note, { name: 'sea.jpg', type: 'image/jpeg', bytes })
    const read = await client.notes.get(note.noteId)
    expect(read.attachments).toEqual(attached.attachments)
    const [file] = read.attachments
    expect(file).toMatchObject({ name: 'sea.jpg', type: 'image/jpeg', bytes: 200_000 })
    expect(await client.notes.attachment(note.noteId, file!)).toEqual(bytes)
    expect(await client.notes.attachment(note.noteId, file!, { start: 65_530, end: 131_080 })).toEqual(
      bytes.slice(65_530, 131_080),
    )
    expect(await client.notes.has(file!.cipherHash)).toBe(true)
    expect(await client.notes.has('00'.repeat(48))).toBe(false)
    expect((await client.notes.storage()).objectCount).toBe(3)
  })

  it('are deleted with a receipt', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'gone soon' })
    const receipt = await client.notes.delete(note.noteId)
    expect(receipt.statement).toMatchObject({ versions: 1, attachments: 0, seq: 1, lastRecordHash: note.recordHash })
    expect(await client.notes.delete(note.noteId)).toMatchObject({ statement: receipt.statement })
    await expect(client.notes.get(note.noteId)).rejects.toMatchObject({ status: 404 })
    expect(await client.notes.collect()).toMatchObject({ collected: { objects: 0 }, waiting: { objects: 1 } })
    expect(await client.notes.rebuild({ dryRun: true })).toMatchObject({ differences: 0 })
  })

  it('are exported and restored', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'one' })
    await client.notes.put({ body: 'two' }, note)
    await client.notes.attach(await client.notes.get(note.noteId), { name: 'a', type: 'b', bytes: new Uint8Array(10) })
    const gone = await client.notes.put({ body: 'gone' })
    await client.notes.delete(gone.noteId)
    const items: ArchivedItem[] = []
    for await (const item of client.notes.export()) items.push(item)
    expect(await client.notes.restore(items)).toEqual({ restored: 0, present: 3, merged: [] })
  })
})
