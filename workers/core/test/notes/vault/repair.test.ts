import { env } from 'cloudflare:workers'
import type { ArchivedItem } from '@svc/client'
import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../../harness.ts'
import { storedKeys } from '../notes.fixture.ts'
import { ciphertext, keeper, upload } from '../vault.fixture.ts'

const FILE = ciphertext(7, 500)

describe('a ciphertext that the store has lost', () => {
  it('comes back with its version, once a rebuild has seen that it is gone', async () => {
    const { client } = await freshCaller()
    const note = await client.notes.put({ body: 'kept elsewhere' })
    const other = await client.notes.put({ body: 'still there' })
    const items: ArchivedItem[] = []
    for await (const item of client.notes.export()) items.push(item)
    const { statement } = versionOf(items, note.noteId)
    const before = await client.notes.storage()
    await lose(statement.cipherHash)
    await expect(client.notes.get(note.noteId)).rejects.toMatchObject({ status: 503 })

    expect(await client.notes.rebuild()).toMatchObject({ missing: [statement.cipherHash] })
    expect(await client.notes.storage()).toMatchObject({ objectCount: 1 })
    expect(await client.notes.restore(items, { repair: true })).toEqual({
      restored: 0,
      present: 2,
      merged: [],
      passedOver: [],
    })
    expect(await client.notes.get(note.noteId)).toMatchObject({ body: 'kept elsewhere', version: 1 })
    expect(await client.notes.get(other.noteId)).toMatchObject({ body: 'still there', version: 1 })
    expect(await client.notes.rebuild()).toMatchObject({ missing: [], differences: 0 })
    const { bytesUsed, objectCount } = await client.notes.storage()
    expect({ bytesUsed, objectCount }).toEqual({ bytesUsed: before.bytesUsed, objectCount: 2 })
  })

  it('comes back with its attachment, for everything that refers to it', async () => {
    const { caller } = await keeper()
    const { notes } = caller.client
    await upload(caller, 'note', 'a', FILE)
    await upload(caller, 'note', 'b', FILE)
    await lose(hashHex(FILE))
    await notes.rebuild()
    expect((await upload(caller, 'note', 'a', FILE)).status).toBe(200)
    expect(await notes.ciphertext('note', 'a')).toEqual(FILE)
    expect(await notes.ciphertext('note', 'b')).toEqual(FILE)
    expect(await notes.rebuild()).toMatchObject({ missing: [], differences: 0 })
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  async function lose(cipherHash: string): Promise<void> {
    const { objects } = await env.BLOBS.list({ prefix: 'notes/' })
    const keys = objects.map(({ key }) => key).filter((key) => key.includes(cipherHash))
    expect(keys.length).toBeGreaterThan(0)
    await env.BLOBS.delete(keys)
  }

  function versionOf(items: readonly ArchivedItem[], noteId: string) {
    const entries = items.flatMap((item) => (item.kind === 'page' ? item.page.entries : []))
    const record = entries.find((entry) => entry.noteId === noteId)?.record
    if (!record) throw new Error('no such version')
    return record
  }
})
