import type { ArchivedItem, Client, Progress } from '@svc/client'
import type { ExportedChange } from '@svc/protocol/notes/log'
import { deviceOf, SERVICE_KEYS, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { rotated } from '../../rotation/rotation.fixture.ts'
import {
  bodiesOf,
  clientOver,
  contentsOf,
  deployment,
  exportOf,
  filled,
  type Identity,
  OTHER_RECEIPT_KEY,
  resolving,
  type Send,
} from './sdk.fixture.ts'

const FILE = filled(70_000)

const byKey =
  ({ userId }: Identity) =>
  ({ record }: ExportedChange) =>
    record?.statement.keyId === userId

/** Returns a client of a new deployment that has only its identity, with the same genesis block. */
async function fresh(name: string, identity: Identity): Promise<{ client: Client; connection: Send }> {
  const connection = deployment(name)
  const client = clientOver(connection, { identity })
  const { block } = await clientOver(send, { identity }).chain.readGenesis(identity.did)
  await client.chain.genesis({ block })
  return { client, connection }
}

describe('an export of what the root key wrote', () => {
  let alice: TestCaller
  let source: Client
  let items: ArchivedItem[]
  let names: { readonly kept: string; readonly filed: string; readonly gone: string }

  beforeAll(async () => {
    alice = await freshCaller()
    source = clientOver(send, { identity: alice.identity })
    const { notes } = source
    const first = await notes.put({ title: 'T', body: 'one', tags: ['x'] })
    const filed = await notes.put({ body: 'with files' })
    const second = await notes.put({ body: 'two' }, first)
    const attached = await notes.attach(filed, { name: 'f', type: 't', bytes: FILE })
    const gone = await notes.put({ body: 'gone' })
    await notes.attach(attached, { name: 'g', type: 't', bytes: new Uint8Array() })
    await notes.delete(gone.noteId)
    await notes.put({ body: 'three' }, second)
    names = { kept: first.noteId, filed: filed.noteId, gone: gone.noteId }
    items = await exportOf(source)
  })

  it('holds a page, then the attachments that it names', () => {
    expect(items.map(({ kind }) => kind)).toEqual(['page', 'attachment', 'attachment'])
  })

  it('makes a fresh deployment the same, byte by byte', async () => {
    const { client } = await fresh('same', alice.identity)
    const told: Progress[] = []
    const onProgress = (progress: Progress) => void told.push(progress)
    expect(await client.notes.restore(items, { onProgress })).toEqual({
      restored: 6,
      present: 0,
      merged: [],
      passedOver: [],
    })
    expect(told.at(-1)?.done).toBe(told[0]?.total)
    expect(await contentsOf(client)).toEqual(await contentsOf(source))
    const { attachments } = await client.notes.get(names.filed)
    expect(attachments.map(({ bytes }) => bytes)).toEqual([70_000, 0])
    expect(await client.notes.attachment(names.filed, attachments[0]!)).toEqual(FILE)
    expect(await client.notes.attachment(names.filed, attachments[1]!)).toEqual(new Uint8Array())
    await expect(client.notes.get(names.gone)).rejects.toMatchObject({ status: 404 })
  })

  it('is exported again from there with the same records', async () => {
    const { client, connection } = await fresh('again', alice.identity)
    await client.notes.restore(items)
    const there = clientOver(connection, { identity: alice.identity }, { receiptKeyB64u: OTHER_RECEIPT_KEY })
    await expect(there.notes.restore(items)).rejects.toMatchObject({ subject: 'vault', reason: 'wrong_key' })
    const { receiptKeyB64u } = SERVICE_KEYS
    expect((await there.notes.restore(items, { receiptKeyB64u })).present).toBe(6)
    const recordsOf = (archive: readonly ArchivedItem[]) =>
      archive.flatMap((item) => (item.kind === 'page' ? item.page.entries : [])).flatMap(({ record }) => record ?? [])
    expect(recordsOf(await exportOf(there))).toEqual(recordsOf(items))
  })

  it('changes nothing when it is restored twice', async () => {
    const { client } = await fresh('twice', alice.identity)
    await client.notes.restore(items)
    const { cursor } = await client.notes.list()
    expect(await client.notes.restore(items)).toEqual({ restored: 0, present: 6, merged: [], passedOver: [] })
    expect(await client.notes.list({ cursor })).toMatchObject({ notes: [], cursor })
    expect(await source.notes.restore(items)).toEqual({ restored: 0, present: 6, merged: [], passedOver: [] })
  })

  it.each([1, 3, 5, 8])('is taken up again after a crash at write %d', async (crashAt) => {
    const { client, connection } = await fresh(`crash ${crashAt}`, alice.identity)
    let writes = 0
    const crashing: Send = async (request) => {
      if (request.method !== 'GET') writes += 1
      if (writes >= crashAt) throw new Error('the power is gone')
      return connection(request)
    }
    const restoring = clientOver(crashing, { identity: alice.identity }).notes.restore(items)
    await expect(restoring).rejects.toThrow('the power is gone')
    const { restored, present, merged } = await client.notes.restore(items)
    expect({ all: restored + present, merged }).toEqual({ all: 6, merged: [] })
    expect(await contentsOf(client)).toEqual(await contentsOf(source))
  })

  it('is restored over a connection that breaks all the time', async () => {
    const { client, connection } = await fresh('flaky', alice.identity)
    let requests = 0
    const flaky: Send = async (request) => {
      requests += 1
      const response = await connection(request)
      if (request.method !== 'GET' && requests % 2 === 0) throw new TypeError('fetch failed')
      return response
    }
    // Some requests break twice in a row: then it is begun again.
    for (let tries = 0; tries < 5; tries++) {
      requests += 1
      const done = await clientOver(flaky, { identity: alice.identity })
        .notes.restore(items)
        .catch(() => null)
      if (done) break
    }
    expect(await contentsOf(client)).toEqual(await contentsOf(source))
  })

  it.each([
    ['without its attachments', () => items.slice(0, 1), 'The archive lacks attachments that it names'],
    ['without one of them', () => items.slice(0, 2), 'The archive lacks attachments that it names'],
    ['without its page', () => items.slice(1), 'The export fails verification: incomplete at 0'],
    [
      'with an attachment that was changed',
      () =>
        items.map((item) =>
          item.kind !== 'attachment' ? item : { ...item, sealed: item.sealed.map((byte) => byte ^ 1) },
        ),
      'An attachment does not match the log',
    ],
  ])('is refused %s', async (name, archive, error) => {
    const { client } = await fresh(name, alice.identity)
    await expect(client.notes.restore(archive())).rejects.toThrow(error)
    expect((await client.notes.restore(items)).merged).toEqual([])
    expect(await contentsOf(client)).toEqual(await contentsOf(source))
    const { attachments } = await client.notes.get(names.filed)
    expect(await client.notes.attachment(names.filed, attachments[0]!)).toEqual(FILE)
  })

  it('is refused by another identity', async () => {
    const mallory = await freshCaller()
    await expect(mallory.client.notes.restore(items)).rejects.toThrow('The export belongs to another identity')
  })
})

describe('an export of what others than this key wrote', () => {
  it('is restored under this key when devices wrote it', async () => {
    const alice = await freshCaller()
    const phone = await deviceOf(alice, {
      fetch: resolving([alice.identity]),
      capabilities: ['account:read', 'notes:read', 'notes:write'],
    })
    const note = await phone.client.notes.put({ body: 'by the phone' })
    const second = await alice.client.notes.put({ body: 'by the root' }, note)
    await phone.client.notes.attach(second, { name: 'f', type: 't', bytes: FILE })
    const items = await exportOf(alice.client)
    const { client } = await fresh('devices', alice.identity)
    const ofRoot = items.flatMap((item) => (item.kind === 'page' ? item.page.entries : [])).find(byKey(alice.identity))
    // The record names the event about the phone, which the new log does not have.
    expect(await alice.client.notes.isOurs(ofRoot!.record!)).toBe(true)
    expect(await client.notes.isOurs(ofRoot!.record!)).toBe(false)
    expect(await client.notes.restore(items)).toEqual({ restored: 3, present: 0, merged: [], passedOver: [] })
    expect(await bodiesOf(client, note.noteId)).toEqual(['by the phone', 'by the root', 'by the root'])
    const restored = await client.notes.get(note.noteId)
    expect(restored.keyId).toBe(alice.identity.userId)
    expect(await client.notes.attachment(note.noteId, restored.attachments[0]!)).toEqual(FILE)
    expect(await client.notes.restore(items)).toEqual({ restored: 0, present: 3, merged: [], passedOver: [] })
  })

  it('is refused with the device of another identity', async () => {
    const [alice, mallory] = [await freshCaller(), await freshCaller()]
    await deviceOf(mallory, { fetch: send, capabilities: ['notes:write'] })
    await alice.client.notes.put({ body: 'a note' })
    const { attestations } = await mallory.client.devices.verify()
    const items = [{ kind: 'devices', attestations } as const, ...(await exportOf(alice.client))]
    await expect(alice.client.notes.restore(items)).rejects.toThrow(
      'A device in the archive does not belong to this identity',
    )
  })

  it('is restored under this key when an earlier key wrote it', async () => {
    const alice = await freshCaller()
    const note = await alice.client.notes.put({ body: 'by the first key' })
    const { successor } = await rotated(alice)
    const source = clientOver(send, { identity: successor }, { former: [alice.identity] })
    const before = await source.notes.get(note.noteId)
    await source.notes.put({ body: 'by the second key' }, before)
    const items = await exportOf(source)
    const connection = deployment('rotated')
    await clientOver(connection, { identity: alice.identity }).chain.genesis()
    const elsewhere = clientOver(connection, { identity: alice.identity }, { former: [successor] })
    expect(await elsewhere.notes.restore(items)).toEqual({ restored: 2, present: 0, merged: [], passedOver: [] })
    expect(await bodiesOf(elsewhere, note.noteId)).toEqual(['by the first key', 'by the second key'])
    expect(await elsewhere.notes.restore(items)).toEqual({ restored: 0, present: 2, merged: [], passedOver: [] })
  })

  it('is restored where it was, after a rotation', async () => {
    const alice = await freshCaller()
    const note = await alice.client.notes.put({ body: 'by the first key' })
    const items = await exportOf(alice.client)
    const { successor } = await rotated(alice)
    const { notes } = clientOver(send, { identity: successor }, { former: [alice.identity] })
    expect(await notes.restore(items)).toEqual({ restored: 0, present: 1, merged: [], passedOver: [] })
    expect(await notes.history(note.noteId)).toHaveLength(1)
  })
})
