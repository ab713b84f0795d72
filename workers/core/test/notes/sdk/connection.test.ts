import type { Client } from '@svc/client'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { bodiesOf, breaking, clientOver, filled } from './sdk.fixture.ts'

let alice: TestCaller
let client: Client
beforeAll(async () => {
  alice = await freshCaller()
  client = clientOver(send, { identity: alice.identity })
})
const over = (connection: typeof send) => clientOver(connection, { identity: alice.identity }).notes
const countOf = async () => (await client.notes.list({ limit: 1000 })).notes.length

describe.each(['before', 'after'] as const)('a connection that breaks once %s core has taken it', (when) => {
  it('writes a note once', async () => {
    const connection = breaking('POST', when, 1)
    const count = await countOf()
    const note = await over(connection).put({ body: 'once' })
    expect(connection.broken()).toBe(1)
    expect(note).toMatchObject({ version: 1, isConcurrent: false })
    expect(await countOf()).toBe(count + 1)
    expect(await bodiesOf(client, note.noteId)).toEqual(['once'])
  })

  it('writes a version once', async () => {
    const note = await client.notes.put({ body: 'one' })
    const written = await over(breaking('POST', when, 1)).put({ body: 'two' }, note)
    expect(written).toMatchObject({ version: 2, follows: note.recordHash, isConcurrent: false })
    expect(await bodiesOf(client, note.noteId)).toEqual(['one', 'two'])
  })

  it('uploads an attachment once', async () => {
    const note = await client.notes.put({ body: 'with a file' })
    const connection = breaking('PUT', when, 1)
    const attached = await over(connection).attach(note, { name: 'f', type: 't', bytes: filled(100) })
    expect(connection.broken()).toBe(1)
    expect(attached).toMatchObject({ version: 2, attachments: [{ name: 'f', bytes: 100 }] })
    const { notes } = await client.notes.list({ limit: 1000 })
    expect(notes.find(({ noteId }) => noteId === note.noteId)).toMatchObject({ attachments: 1, version: 2 })
    expect(await over(send).attachment(note.noteId, attached.attachments[0]!)).toEqual(filled(100))
  })

  it('names an attachment once', async () => {
    const note = await client.notes.put({ body: 'with a file' })
    const attached = await over(breaking('POST', when, 1)).attach(note, { name: 'f', type: 't', bytes: filled(1) })
    expect(await client.notes.history(note.noteId)).toHaveLength(2)
    expect(await client.notes.get(note.noteId)).toMatchObject({ attachments: attached.attachments })
  })

  it('deletes a note once, with its receipt', async () => {
    const note = await client.notes.put({ body: 'gone' })
    const receipt = await over(breaking('DELETE', when, 1)).delete(note.noteId)
    expect(receipt.statement).toMatchObject({ noteId: note.noteId, versions: 1 })
    expect((await client.notes.delete(note.noteId)).statement).toEqual(receipt.statement)
  })
})

describe('a connection that stays broken', () => {
  it('is told of, and nothing was written when nothing arrived', async () => {
    const connection = breaking('POST', 'before', 3)
    const count = await countOf()
    await expect(over(connection).put({ body: 'x' })).rejects.toThrow('fetch failed')
    expect(await countOf()).toBe(count)
    expect(connection.broken()).toBe(3)
  })

  it('is told of, and what arrived is there once', async () => {
    const note = await client.notes.put({ body: 'one' })
    await expect(over(breaking('POST', 'after', 3)).put({ body: 'two' }, note)).rejects.toThrow('fetch failed')
    expect(await bodiesOf(client, note.noteId)).toEqual(['one', 'two'])
    const again = await client.notes.put({ body: 'three' }, note)
    expect(again).toMatchObject({ version: 3, isConcurrent: true })
  })
})

describe('a version that was sent', () => {
  it('comes before the one that others write while the connection was broken, and says so', async () => {
    const note = await client.notes.put({ body: 'one' })
    let isFirst = true
    const interrupted: typeof send = async (request) => {
      const isBroken = request.method === 'POST' && isFirst
      if (!isBroken) return send(request)
      isFirst = false
      await send(request)
      await client.notes.put({ body: 'theirs' }, note)
      throw new TypeError('fetch failed')
    }
    const ours = await over(interrupted).put({ body: 'ours' }, note)
    expect(ours).toMatchObject({ version: 2, isConcurrent: false })
    expect(await bodiesOf(client, note.noteId)).toEqual(['one', 'ours', 'theirs'])
  })

  it('is not sent again when core refuses it', async () => {
    let posts = 0
    const counting: typeof send = (request) => {
      if (request.method === 'POST') posts += 1
      return send(request)
    }
    const note = await client.notes.put({ body: 'gone' })
    await client.notes.delete(note.noteId)
    await expect(over(counting).put({ body: 'x' }, note)).rejects.toMatchObject({ error: 'note_tombstoned' })
    expect(posts).toBe(1)
  })
})
