import { expect, it, vi } from 'vitest'
import type { ExportedChange } from '#protocol/notes/log'
import { unverified } from '../verification/verification-error.ts'
import { Restoring } from './restoring.ts'
import type { Vault } from './vault.ts'

const malformed = unverified('note', 'malformed', 'It has another form', { where: { member: 'title' } })

/** Opens what is good, and has no notes yet. */
const vaultOf = (isOurs: boolean) => {
  const sent: string[] = []
  const open = async ({ noteId }: { readonly noteId: string }) => {
    if (noteId.startsWith('bad')) throw malformed
    return { noteId }
  }
  const vault = {
    history: async () => [],
    isOurs: async () => isOurs,
    send: vi.fn(async ({ statement }: { readonly statement: { readonly header: { readonly noteId: string } } }) => {
      sent.push(statement.header.noteId)
      return { noteId: statement.header.noteId, version: 1 }
    }),
    open,
    rewrite: vi.fn(async (note: { readonly noteId: string }) => {
      sent.push(note.noteId)
      return note
    }),
  }
  return { sent, vault: vault as unknown as Vault }
}

const entryOf = (noteId: string): ExportedChange =>
  ({
    noteId,
    version: 1,
    recordHash: noteId,
    ciphertextB64u: 'AAAA',
    record: { statement: { header: { noteId, operation: 'create' } } },
  }) as unknown as ExportedChange

async function restored(isOurs: boolean) {
  const { sent, vault } = vaultOf(isOurs)
  const restoring = new Restoring(vault, false)
  for (const noteId of ['one', 'bad', 'two']) await restoring.version(entryOf(noteId))
  return { sent, summary: await restoring.finish() }
}

it('names a version that it cannot write again, and restores the others', async () => {
  const { sent, summary } = await restored(false)
  expect(sent).toEqual(['one', 'two'])
  expect(summary).toEqual({
    restored: 2,
    present: 0,
    merged: [],
    passedOver: [{ noteId: 'bad', version: 1, error: malformed }],
  })
})

it('sends a malformed version that it signed, like the others', async () => {
  const { sent, summary } = await restored(true)
  expect(sent).toEqual(['one', 'bad', 'two'])
  expect(summary).toMatchObject({ restored: 3, passedOver: [] })
})
