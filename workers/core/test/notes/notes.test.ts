import type { ArchivedItem, Note, Progress } from '@svc/client'
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

  it('take a file from anything that yields bytes, and give it back as a stream', async () => {
    const { client } = await freshCaller()
    const bytes = new Uint8Array(200_000).map((_, i) => i % 251)
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += 7_000) yield bytes.subarray(at, at + 7_000)
    }
    const blob = new Blob([bytes])
    let note: Note = await client.notes.put({ body: 'one film, three ways' })
    for (const content of [pieces(), blob, blob.stream() as ReadableStream<Uint8Array>])
      note = await client.notes.attach(note, { name: 'film', type: 'video/mp4', bytes: content })
    expect(note.attachments).toHaveLength(3)
    for (const file of note.attachments) {
      const stream = await client.notes.attachmentStream(note.noteId, file)
      expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes)
    }
    const [file] = note.attachments
    for (const [start, end] of [
      [0, 1],
      [65_530, 131_080],
      [199_999, 200_000],
      [1, 200_000],
    ] as const) {
      const stream = await client.notes.attachmentStream(note.noteId, file!, { start, end })
      expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes.slice(start, end))
    }
  })

  it('take an empty file and give it back', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'nothing' })
    const { attachments } = await client.notes.attach(note, { name: 'f', type: 't', bytes: new Blob([]) })
    expect(await client.notes.attachment(note.noteId, attachments[0]!)).toEqual(new Uint8Array())
    const stream = await client.notes.attachmentStream(note.noteId, attachments[0]!)
    expect((await new Response(stream).arrayBuffer()).byteLength).toBe(0)
  })

  it('refuse a file above 25 MiB before anything is sent, and tell its source', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'too much' })
    let isTold = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(8 * 1024 * 1024)),
      cancel: () => {
        isTold = true
      },
    })
    const attaching = client.notes.attach(note, { name: 'f', type: 't', bytes: endless })
    await expect(attaching).rejects.toThrow(new RangeError('An attachment can have at most 25 MiB'))
    expect(isTold).toBe(true)
    expect((await client.notes.storage()).objectCount).toBe(1)
  })

  it('tell how far an upload and a download have come', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'progress' })
    const [up, down]: [Progress[], Progress[]] = [[], []]
    const bytes = new Uint8Array(200_000)
    const { attachments } = await client.notes.attach(
      note,
      { name: 'f', type: 't', bytes },
      { onProgress: (progress) => up.push(progress) },
    )
    const total = 200_704 + 4 * 16
    expect([up[0], up.at(-1)]).toEqual([0, total].map((done) => ({ done, total })))
    await client.notes.attachment(note.noteId, attachments[0]!, { onProgress: (progress) => down.push(progress) })
    expect([down[0], down.at(-1)]).toEqual([0, total].map((done) => ({ done, total })))
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
    expect(await client.notes.restore(items)).toEqual({ restored: 0, present: 3, merged: [], passedOver: [] })
  })
})
