import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type Client, type Note, RollbackError } from '@svc/client'
import type { TestCaller } from '@svc/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { bodiesOf, clientOver, contentsOf, exportOf, filled } from './sdk.fixture.ts'

type Rows = Record<string, SqlStorageValue>[]

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'"
const vaultOf = ({ identity }: TestCaller) => env.NOTE_VAULTS.getByName(identity.did)

/** Everything that a vault’s object stores, as in a backup of its database. */
async function backupOf(owner: TestCaller): Promise<ReadonlyMap<string, Rows>> {
  return runInDurableObject(vaultOf(owner), (_, { storage: { sql } }) => {
    const names = sql.exec<{ name: string }>(TABLES).toArray()
    return new Map(names.map(({ name }) => [name, sql.exec(`SELECT * FROM "${name}"`).toArray()]))
  })
}

/** Replaces a vault’s data by a backup, and restarts its object. */
async function putBack(owner: TestCaller, backup: ReadonlyMap<string, Rows>): Promise<void> {
  await runInDurableObject(vaultOf(owner), (_, { storage: { sql } }) => {
    for (const [name, rows] of backup) {
      sql.exec(`DELETE FROM "${name}"`)
      for (const row of rows) {
        const columns = Object.keys(row)
        const places = columns.map(() => '?').join(', ')
        sql.exec(`INSERT INTO "${name}" (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row))
      }
    }
  })
  await evictDurableObject(vaultOf(owner))
}

let alice: TestCaller
let client: Client
/** A client that knows nothing of what the service has lost. */
const unknowing = () => clientOver(send, { identity: alice.identity })
beforeEach(async () => {
  alice = await freshCaller()
  client = unknowing()
})

describe('a vault restored from an older backup', () => {
  it('reports it to a client that has seen more, and is repaired from an export', async () => {
    const one = await client.notes.put({ body: 'one' })
    const backup = await backupOf(alice)
    const two = await client.notes.put({ body: 'two' }, one)
    await client.notes.attach(two, { name: 'f', type: 't', bytes: filled(100) })
    const other = await client.notes.put({ body: 'other' })
    const { cursor } = await client.notes.list()
    const before = await contentsOf(client)
    const items = await exportOf(client)
    await putBack(alice, backup)

    await expect(client.notes.get(one.noteId)).rejects.toThrow(RollbackError)
    await expect(client.notes.history(one.noteId)).rejects.toThrow(RollbackError)
    await expect(client.notes.list()).rejects.toThrow(RollbackError)
    await expect(client.notes.put({ body: 'late' }, two)).rejects.toThrow(RollbackError)
    await putBack(alice, backup)
    client = unknowing()
    const { notes } = client
    expect(await bodiesOf(client, one.noteId)).toEqual(['one'])
    const behind = { status: 409, error: 'vault_behind', details: { size: 1 } }
    await expect(notes.list({ cursor })).rejects.toMatchObject(behind)
    expect(await notes.restore(items)).toEqual({ restored: 3, present: 1, merged: [], passedOver: [] })
    expect(await contentsOf(client)).toEqual(before)
    expect(await notes.get(other.noteId)).toMatchObject({ body: 'other', recordHash: other.recordHash })
    expect(await notes.list({ cursor })).toMatchObject({ notes: [], cursor, size: Number(cursor) })
    expect(await notes.restore(items)).toEqual({ restored: 0, present: 4, merged: [], passedOver: [] })
    expect(await notes.rebuild({ dryRun: true })).toMatchObject({ differences: 0 })
  })

  it('takes writes at once, and loses none of them when it is mended', async () => {
    const one = await client.notes.put({ body: 'one' })
    const backup = await backupOf(alice)
    const two = await client.notes.put({ body: 'two' }, one)
    const items = await exportOf(client)
    await putBack(alice, backup)
    client = unknowing()
    const { notes } = client
    const late = await notes.put({ body: 'late' }, two)
    expect(late).toMatchObject({ version: 2, follows: two.recordHash, isConcurrent: true })
    expect(await notes.restore(items)).toEqual({ restored: 1, present: 1, merged: [one.noteId], passedOver: [] })
    expect(await bodiesOf(client, one.noteId)).toEqual(['one', 'late', 'two', 'late'])
  })

  it('has again what was deleted since, and deletes it again', async () => {
    const { notes } = client
    const note = await notes.put({ body: 'gone' })
    const backup = await backupOf(alice)
    const receipt = await notes.delete(note.noteId)
    const items = await exportOf(client)
    await putBack(alice, backup)
    expect(await notes.restore(items)).toEqual({ restored: 0, present: 0, merged: [], passedOver: [] })
    expect((await notes.delete(note.noteId)).statement).toMatchObject({
      seq: receipt.statement.seq,
      lastRecordHash: receipt.statement.lastRecordHash,
    })
    await expect(notes.get(note.noteId)).rejects.toMatchObject({ status: 404 })
  })

  it('that is empty is filled from an export', async () => {
    const note = await client.notes.put({ body: 'one' })
    await client.notes.put({ body: 'two' }, note)
    const before = await contentsOf(client)
    const items = await exportOf(client)
    const backup = await backupOf(alice)
    const { bytes: _, ...usage } = backup.get('usage')![0]!
    const empty = new Map([...backup.keys()].map((name) => [name, [] as Rows]))
    empty.set('facts', backup.get('facts')!)
    await putBack(alice, empty.set('usage', [{ ...usage, bytes: 0, objects: 0, refs: 0 }]))
    await expect(client.notes.list()).rejects.toThrow(RollbackError)
    client = unknowing()
    const { notes } = client
    expect(await notes.list()).toMatchObject({ notes: [], size: 0 })
    expect(await notes.restore(items)).toEqual({ restored: 2, present: 0, merged: [], passedOver: [] })
    expect(await contentsOf(client)).toEqual(before)
  })

  it('cannot pass off its export as the later one', async () => {
    const { notes } = client
    const note = await notes.put({ body: 'one' })
    const backup = await backupOf(alice)
    await notes.put({ body: 'two' }, note)
    const [later] = await exportOf(client)
    await putBack(alice, backup)
    await expect(exportOf(client)).rejects.toThrow(RollbackError)
    const [earlier] = await exportOf(unknowing())
    if (later?.kind !== 'page' || earlier?.kind !== 'page') throw new Error('an export begins with a page')
    expect(earlier.page.manifest.statement).toMatchObject({ size: 1 })
    const passedOff = { ...earlier, page: { ...earlier.page, manifest: later.page.manifest } }
    await expect(unknowing().notes.restore([passedOff])).rejects.toThrow(
      'The export fails verification: incomplete at 1',
    )
  })
})

describe('an export while the vault goes on', () => {
  let last: Note

  // Five such versions are a page of 4 MiB.
  beforeEach(async () => {
    const body = 'x'.repeat(690_000)
    for (let i = 0; i < 6; i++) last = await client.notes.put({ body })
  }, 30_000)

  it('is of the vault as it was at its first page, and to be begun again when a note of it was deleted', async () => {
    const { notes } = client
    const items = notes.export()[Symbol.asyncIterator]()
    const other = notes.export()[Symbol.asyncIterator]()
    const first = await items.next()
    await other.next()
    await notes.put({ body: 'later' })
    const second = await items.next()
    const pages = [first.value, second.value].flatMap((item) => (item?.kind === 'page' ? [item.page] : []))
    expect(pages.map(({ entries }) => entries.length)).toEqual([5, 1])
    expect(pages.map(({ cursor }) => cursor)).toEqual(['5.6', null])
    expect(await items.next()).toEqual({ done: true, value: undefined })
    await notes.delete(last.noteId)
    await other.next()
    await expect(other.next()).rejects.toThrow('The export fails verification: erased at 5')
  }, 30_000)
})
