import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ForkError, VerificationError } from '@svc/client'
import { afterAll, describe, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { findNotes } from './find.ts'
import { listNotes } from './notes.ts'
import { sync } from './sync.ts'

const folder = await mkdtemp(join(tmpdir(), 'svc-notes-'))
afterAll(() => rm(folder, { recursive: true }))

const malformed = new VerificationError('What was written does not have the documented form at title', {
  subject: 'note',
  reason: 'malformed',
})
const note = (noteId: string) => ({
  noteId,
  version: 1,
  title: `Title ${noteId}`,
  body: 'milk',
  tags: [],
  attachments: [],
})

/** A vault whose middle note is of another application. */
function vault(error: Error = malformed) {
  const warned: string[] = []
  const notes = {
    all: async function* () {
      for (const noteId of ['one', 'bad', 'two']) yield { noteId, version: 1, status: 'stored', updatedAt: 1 }
    },
    get: async (noteId: string) => {
      if (noteId === 'bad') throw error
      return note(noteId)
    },
  }
  const context = {
    client: async () => ({ notes }),
    did: async () => 'did:svc:a',
    pathOf: (path: string) => path,
    options: { dryRun: false },
    output: { warn: (text: string) => warned.push(text), progress: () => {} },
  }
  return { context: context as unknown as Context, warned }
}

const NAMED = /^The note bad was passed over \(malformed\): What was written .* at title$/

describe('a malformed note', () => {
  it('is named and passed over by svc note list', async () => {
    const { context, warned } = vault()
    const { data } = await listNotes(context)
    expect(data).toMatchObject({ notes: [{ title: 'Title one' }, { title: null }, { title: 'Title two' }] })
    expect(warned).toEqual([expect.stringMatching(NAMED)])
  })

  it('is named and passed over by svc note find', async () => {
    const { context, warned } = vault()
    const { data } = await findNotes(context, { args: ['milk'], options: {} })
    expect(data).toMatchObject({ notes: [{ noteId: 'one' }, { noteId: 'two' }], unread: 1 })
    expect(warned).toEqual([expect.stringMatching(NAMED)])
  })

  it('is named and passed over by svc note sync, which writes the others', async () => {
    const { context, warned } = vault()
    const { data } = await sync(context, { args: [folder], options: {} })
    expect(data).toMatchObject({ pulled: 2 })
    expect((await readdir(folder)).filter((name) => name.endsWith('.md'))).toEqual(['one.md', 'two.md'])
    expect(warned).toEqual([expect.stringMatching(NAMED)])
  })

  it('does not hide that the service contradicts itself, or is gone', async () => {
    const piece = { position: 1, hash: '', signed: null }
    const fork = new ForkError({ log: { kind: 'note', of: 'a' }, remembered: piece, received: piece } as never)
    for (const error of [fork, new TypeError('fetch failed')]) {
      await expect(listNotes(vault(error).context)).rejects.toBe(error)
      await expect(sync(vault(error).context, { args: [join(folder, 'b')], options: {} })).rejects.toBe(error)
    }
  })
})
