import type { Client, Note } from '@svc/client'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { bodiesOf, clientOver, type Send } from './sdk.fixture.ts'

let alice: TestCaller
let client: Client
beforeAll(async () => {
  alice = await freshCaller()
  client = clientOver(send, { identity: alice.identity })
})
const over = (connection: Send) => clientOver(connection, { identity: alice.identity }).notes
const file = (name: string) => ({ name, type: 'text/plain', bytes: new TextEncoder().encode(name) })
const namesOf = ({ attachments }: Pick<Note, 'attachments'>) => attachments.map(({ name }) => name).toSorted()

/** Does something before the first version that goes out over it. */
function beforeWriting(work: () => Promise<unknown>): Send {
  let isDone = false
  return async (request) => {
    if (request.method === 'POST' && !isDone) {
      isDone = true
      await work()
    }
    return send(request)
  }
}

describe('two versions over the same one', () => {
  it('both stay, and the second says that it is concurrent', async () => {
    const note = await client.notes.put({ body: 'base' })
    const [a, b] = await Promise.all([over(send).put({ body: 'a' }, note), over(send).put({ body: 'b' }, note)])
    expect(new Set([a.version, b.version])).toEqual(new Set([2, 3]))
    expect([a, b].filter(({ isConcurrent }) => isConcurrent).map(({ version }) => version)).toEqual([3])
    expect((await bodiesOf(client, note.noteId)).toSorted()).toEqual(['a', 'b', 'base'])
    const history = await client.notes.history(note.noteId)
    expect(history.map(({ follows }) => follows)).toEqual([null, note.recordHash, note.recordHash])
  })

  it('of many writers are all kept in one order', async () => {
    const note = await client.notes.put({ body: 'base' })
    const bodies = Array.from({ length: 8 }, (_, i) => `writer ${i}`)
    const written = await Promise.all(bodies.map((body) => over(send).put({ body }, note)))
    expect(written.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    expect(written.filter(({ isConcurrent }) => !isConcurrent)).toHaveLength(1)
    const kept = await bodiesOf(client, note.noteId)
    for (const { version, body } of written) expect(kept[version - 1]).toBe(body)
  })

  it('say so over an older one than the newest', async () => {
    const note = await client.notes.put({ body: '1' })
    const second = await client.notes.put({ body: '2' }, note)
    const old = await client.notes.get(note.noteId, 1)
    expect(await client.notes.put({ body: '3' }, old)).toMatchObject({ version: 3, isConcurrent: true })
    expect(second.isConcurrent).toBe(false)
  })
})

describe('a file that is added', () => {
  it('takes in the text that others wrote at the same time', async () => {
    const note = await client.notes.put({ title: 'T', body: 'base', tags: ['a'] })
    const theirs = { title: 'T2', body: 'theirs', tags: ['b'] }
    const connection = beforeWriting(() => client.notes.put(theirs, note))
    const attached = await over(connection).attach(note, file('f'))
    expect(attached).toMatchObject({ ...theirs, attachments: [{ name: 'f' }] })
    expect(await client.notes.get(note.noteId)).toMatchObject({ ...theirs, attachments: [{ name: 'f' }] })
  })

  it('takes in the files that others added at the same time, and keeps its own text', async () => {
    const note = await client.notes.put({ body: 'base' })
    const changed = await client.notes.put({ body: 'newer' }, note)
    const connection = beforeWriting(() => client.notes.attach(note, file('theirs')))
    const attached = await over(connection).attach(changed, file('ours'))
    expect(namesOf(attached)).toEqual(['ours', 'theirs'])
    const newest = await client.notes.get(note.noteId)
    expect(namesOf(newest)).toEqual(['ours', 'theirs'])
    expect(newest.body).toBe('newer')
  })

  it('to an older version than the newest loses nothing of the newest', async () => {
    const note = await client.notes.put({ body: 'base' })
    const first = await client.notes.attach(note, file('first'))
    await client.notes.put({ body: 'newer' }, first)
    const attached = await client.notes.attach(note, file('late'))
    expect(attached).toMatchObject({ body: 'newer' })
    expect(namesOf(attached)).toEqual(['first', 'late'])
  })

  it.each([2, 5])('beside others by %d writers at once is in the note in the end, as are theirs', async (writers) => {
    const note = await client.notes.put({ body: 'base' })
    const names = Array.from({ length: writers }, (_, i) => `file ${i}`)
    const attached = await Promise.all(names.map((name) => over(send).attach(note, file(name))))
    const newest = await client.notes.get(note.noteId)
    expect(namesOf(newest)).toEqual(names)
    expect(newest.body).toBe('base')
    for (const [i, { attachments }] of attached.entries())
      expect(attachments.map(({ name }) => name)).toContain(names[i])
    for (const one of newest.attachments)
      expect(await over(send).attachment(note.noteId, one)).toEqual(new TextEncoder().encode(one.name))
  })

  it('beside a text by another at once keeps both', async () => {
    const note = await client.notes.put({ body: 'base' })
    const attaching = Array.from({ length: 3 }, (_, i) => over(send).attach(note, file(`file ${i}`)))
    const [written] = await Promise.all([over(send).put({ body: 'theirs' }, note), ...attaching])
    const newest = await client.notes.get(note.noteId)
    const isLast = newest.version === written.version
    expect(newest.body).toBe('theirs')
    if (!isLast) expect(namesOf(newest)).toEqual(['file 0', 'file 1', 'file 2'])
  })

  it('is refused before anything is sent when it is too long', async () => {
    const note = await client.notes.put({ body: 'base' })
    const silent: Send = () => Promise.reject(new Error('something was sent'))
    const bytes = new Uint8Array(25 * 1024 * 1024)
    await expect(over(silent).attach(note, { name: 'f', type: 't', bytes })).rejects.toThrow(RangeError)
  })
})
