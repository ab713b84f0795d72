import type { ArchivedItem, Client } from '@svc/client'
import { deviceOf, REALM, type TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import {
  bodiesOf,
  clientOver,
  deployment,
  exportOf,
  filled,
  OTHER_RECEIPT_KEY,
  resolving,
  type Send,
} from './sdk.fixture.ts'

let alice: TestCaller
let source: Client
let target: Client
let connection: Send
let deployments = 0

/** Two deployments that share the first version of a note; then each goes on by itself. */
async function diverged(): Promise<{ noteId: string; items: ArchivedItem[] }> {
  const note = await source.notes.put({ body: 'shared' })
  await target.notes.restore(await exportOf(source))
  await source.notes.put({ body: 'archived' }, note)
  await target.notes.put({ body: 'current' }, await target.notes.get(note.noteId))
  return { noteId: note.noteId, items: await exportOf(source) }
}

beforeEach(async () => {
  alice = await freshCaller()
  deployments += 1
  connection = deployment(`diverged ${deployments}`)
  source = clientOver(send, { identity: alice.identity })
  target = clientOver(connection, { identity: alice.identity })
  await target.chain.genesis()
})

describe('a note that both sides have written to', () => {
  it('keeps what both wrote, and what was current there', async () => {
    const { noteId, items } = await diverged()
    expect(await target.notes.restore(items)).toEqual({ restored: 1, present: 1, merged: [noteId], passedOver: [] })
    expect(await bodiesOf(target, noteId)).toEqual(['shared', 'current', 'archived', 'current'])
  })

  it('is merged once, however often it is restored', async () => {
    const { noteId, items } = await diverged()
    await target.notes.restore(items)
    expect(await target.notes.restore(items)).toEqual({ restored: 0, present: 2, merged: [], passedOver: [] })
    expect(await bodiesOf(target, noteId)).toEqual(['shared', 'current', 'archived', 'current'])
  })

  it('stays as it was merged when an earlier export of this side is put back', async () => {
    const { noteId, items } = await diverged()
    const own = await exportOf(
      clientOver(connection, { identity: alice.identity }, { receiptKeyB64u: OTHER_RECEIPT_KEY }),
    )
    await target.notes.restore(items)
    expect(await target.notes.restore(own, { receiptKeyB64u: OTHER_RECEIPT_KEY })).toEqual({
      restored: 0,
      present: 2,
      merged: [],
      passedOver: [],
    })
    expect(await bodiesOf(target, noteId)).toEqual(['shared', 'current', 'archived', 'current'])
  })

  it('is merged once when versions are written anew under this key', async () => {
    const phone = await deviceOf(alice, {
      fetch: resolving([alice.identity]),
      capabilities: ['account:read', 'notes:read', 'notes:write'],
    })
    const note = await source.notes.put({ body: 'shared' })
    const before = await exportOf(source)
    await source.notes.put({ body: 'current' }, note)
    const second = await phone.client.notes.put({ body: 'by the phone' }, note)
    await phone.client.notes.put({ body: 'by the phone, again' }, second)
    const items = await exportOf(source)
    await target.notes.restore(before)
    await target.notes.put({ body: 'there' }, await target.notes.get(note.noteId))
    const inception = await target.devices.head()
    const { did } = alice.identity
    await target.devices.attest(await phone.device.acceptance(did, { realm: REALM, now: Date.now(), inception }))
    await target.notes.restore(items)
    const bodies = await bodiesOf(target, note.noteId)
    await target.notes.restore(items)
    expect(await bodiesOf(target, note.noteId)).toEqual(bodies)
    expect(bodies.at(-1)).toBe('there')
    expect(bodies).toEqual(expect.arrayContaining(['shared', 'current', 'by the phone', 'by the phone, again']))
  })

  it.each([1, 2])('is merged after a crash at write %d', async (crashAt) => {
    const { noteId, items } = await diverged()
    let writes = 0
    const crashing: Send = async (request) => {
      if (request.method === 'POST' && !request.url.includes('/inception/')) writes += 1
      if (writes >= crashAt) throw new Error('the power is gone')
      return connection(request)
    }
    await expect(clientOver(crashing, { identity: alice.identity }).notes.restore(items)).rejects.toThrow('the power')
    await target.notes.restore(items)
    expect(await bodiesOf(target, noteId)).toEqual(['shared', 'current', 'archived', 'current'])
  })

  it('from its first version on keeps both', async () => {
    const note = await source.notes.put({ body: 'archived' })
    const [{ page } = { page: null }] = (await exportOf(source)).flatMap((item) => (item.kind === 'page' ? [item] : []))
    const record = page!.entries[0]!
    await target.notes.rewrite({ ...note, body: 'current' }, null, 'a7'.repeat(48))
    const items = await exportOf(source)
    expect(record.noteId).toBe(note.noteId)
    expect(await target.notes.restore(items)).toMatchObject({ restored: 1, merged: [note.noteId] })
    expect(await bodiesOf(target, note.noteId)).toEqual(['current', 'archived', 'current'])
    await target.notes.restore(items)
    expect(await bodiesOf(target, note.noteId)).toEqual(['current', 'archived', 'current'])
  })
})

describe('a note that was written to or deleted since its export', () => {
  it('stays as it is when it was only written to', async () => {
    const note = await source.notes.put({ body: 'one' })
    const items = await exportOf(source)
    await source.notes.put({ body: 'two' }, note)
    expect(await source.notes.restore(items)).toEqual({ restored: 0, present: 1, merged: [], passedOver: [] })
    expect(await bodiesOf(source, note.noteId)).toEqual(['one', 'two'])
  })

  it('stays deleted, and the rest is restored', async () => {
    const gone = await source.notes.put({ body: 'gone' })
    await source.notes.attach(gone, { name: 'f', type: 't', bytes: filled(10) })
    const other = await source.notes.put({ body: 'other' })
    const items = await exportOf(source)
    await source.notes.delete(gone.noteId)
    expect(await source.notes.restore(items)).toMatchObject({ restored: 0, present: 1 })
    await expect(source.notes.get(gone.noteId)).rejects.toMatchObject({ status: 404 })
    expect(await source.notes.get(other.noteId)).toMatchObject({ body: 'other', version: 1 })
  })
})
