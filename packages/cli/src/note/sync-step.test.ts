import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Synced } from './sync-plan.ts'
import { follow, type SyncedNotes } from './sync-step.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sync-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Kept {
  readonly noteId: string
  readonly version: number
  readonly title: string
  readonly body: string
}

/** Notes in memory. */
function notesOf(...kept: readonly Kept[]) {
  const notes = new Map(kept.map((note) => [note.noteId, note]))
  const sent: { readonly title: string; readonly body: string }[] = []
  const fake = {
    get: async (noteId: string) => notes.get(noteId),
    put: async (text: { title: string; body: string }, base?: Kept) => {
      sent.push({ title: text.title, body: text.body })
      return { noteId: base?.noteId ?? 'new', version: (base?.version ?? 0) + 1, ...text }
    },
  }
  return { notes: fake as unknown as SyncedNotes, sent }
}

const TEXT = '# Müsli\r\n\r\nÄpfel und Nüsse\r\n'
const push = { act: 'push', noteId: null, file: 'a.md', isConcurrent: false } as const
const path = join(folder, 'a.md')
let synced = new Map<string, Synced>()
beforeEach(() => {
  synced = new Map()
})

describe('a file that is sent', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ])('in %s is read as it is meant, and stays byte for byte', async (_, bytes) => {
    writeFileSync(path, bytes)
    const { notes, sent } = notesOf()
    await follow(push, folder, notes, synced)
    expect(sent).toEqual([{ title: 'Müsli', body: 'Äpfel und Nüsse\r\n' }])
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(synced.get('new')).toMatchObject({ file: 'a.md', version: 1 })
  })

  it.each([
    ['Latin-1', Buffer.from(TEXT, 'latin1')],
    ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le')],
    ['no encoding: a picture', Buffer.from('89504e470d0a1a0a', 'hex')],
  ])('in %s is refused by name, and neither sent nor touched', async (_, bytes) => {
    writeFileSync(path, bytes)
    const { notes, sent } = notesOf()
    await expect(follow(push, folder, notes, synced)).rejects.toThrow(/^a\.md is not a text in UTF-8/)
    expect(sent).toEqual([])
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(synced.size).toBe(0)
  })

  it('and says what the note says makes no version', async () => {
    const note = { noteId: 'n', version: 3, title: 'T', body: 'b' }
    writeFileSync(path, '# T\n\nb')
    const { notes, sent } = notesOf(note)
    await follow({ ...push, noteId: 'n' }, folder, notes, synced)
    expect(sent).toEqual([])
    expect(synced.get('n')).toMatchObject({ version: 3 })
  })
})
