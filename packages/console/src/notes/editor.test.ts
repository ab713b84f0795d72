import type { Note, WrittenNote } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { type NoteDraft, NoteEditor, type NoteText } from './editor.ts'

const note = (members: Partial<Note> = {}): Note => ({
  noteId: 'n1',
  title: 'Lightship',
  body: 'anchored',
  tags: ['harbour'],
  attachments: [],
  version: 1,
  recordHash: 'ab'.repeat(48),
  follows: null,
  seq: 0,
  acceptedAt: 0,
  keyId: 'cd'.repeat(48),
  readers: [],
  signer: 'active' as const,
  order: 'inception' as const,
  ...members,
})

/** An editor whose writes are answered by the test. */
function open(base: Note | null, draft: NoteDraft | null = null) {
  const writes: { text: NoteText; over: Note | null; answer: PromiseWithResolvers<WrittenNote> }[] = []
  const kept = new Map<string | null, NoteDraft>()
  const editor = new NoteEditor(base, draft, {
    write: (text, over) => {
      const answer = Promise.withResolvers<WrittenNote>()
      writes.push({ text, over, answer })
      return answer.promise
    },
    keep: (of, value) => void (value ? kept.set(of, value) : kept.delete(of)),
    onChange: () => {},
  })
  /** The service accepts the write with this number. */
  const accept = async (at: number, members: Partial<WrittenNote> = {}) => {
    const { text, over, answer } = writes[at] as (typeof writes)[number]
    const version = (over?.version ?? 0) + 1
    answer.resolve({ ...note(), ...text, noteId: over?.noteId ?? 'n1', version, isConcurrent: false, ...members })
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { editor, writes, kept, accept }
}

describe('the text of a note', () => {
  it('is kept from the first letter until it is saved', async () => {
    const { editor, kept, accept } = open(note())
    expect(editor.isChanged).toBe(false)
    editor.type({ body: 'moved' })
    expect(kept.get('n1')).toEqual({ typed: { title: 'Lightship', body: 'moved', tags: 'harbour' }, version: 1 })
    const saved = editor.save()
    expect(kept.size).toBe(1)
    await accept(0)
    expect((await saved).version).toBe(2)
    expect([editor.isChanged, kept.size]).toEqual([false, 0])
  })

  it('that is typed while a save is under way is saved too, and only then is it said to be', async () => {
    const { editor, writes, kept, accept } = open(note())
    editor.type({ body: 'moved' })
    let isSaid = false
    const saved = editor.save().then((written) => {
      isSaid = true
      return written
    })
    editor.type({ body: 'moved in the night' })
    await accept(0)
    expect([isSaid, editor.typed.body, kept.get('n1')?.typed.body]).toEqual([
      false,
      'moved in the night',
      'moved in the night',
    ])
    expect(writes.map(({ text }) => text.body)).toEqual(['moved', 'moved in the night'])
    expect(writes[1]?.over?.version).toBe(2)
    await accept(1)
    expect((await saved).body).toBe('moved in the night')
    expect([editor.isChanged, kept.size]).toEqual([false, 0])
  })

  it('stays where a save fails, with what was typed meanwhile, and can be saved again', async () => {
    const { editor, writes, kept, accept } = open(note())
    editor.type({ body: 'moved' })
    const saved = editor.save()
    editor.type({ title: 'The lightship' })
    writes[0]?.answer.reject(new Error('no network'))
    await expect(saved).rejects.toThrow('no network')
    expect(kept.get('n1')?.typed).toEqual({ title: 'The lightship', body: 'moved', tags: 'harbour' })
    const again = editor.save()
    await accept(1)
    expect(await again).toMatchObject({ title: 'The lightship', body: 'moved' })
    expect(kept.size).toBe(0)
  })

  it('that was typed during the first save of two stays where the second fails', async () => {
    const { editor, writes, kept, accept } = open(note())
    editor.type({ body: 'moved' })
    const saved = editor.save()
    editor.type({ body: 'moved in the night' })
    await accept(0)
    writes[1]?.answer.reject(new Error('no network'))
    await expect(saved).rejects.toThrow('no network')
    expect(editor.base?.body).toBe('moved')
    expect(kept.get('n1')).toEqual({
      typed: { title: 'Lightship', body: 'moved in the night', tags: 'harbour' },
      version: 2,
    })
  })

  it('says that another device wrote at the same time, though a later save was alone', async () => {
    const { editor, accept } = open(note())
    editor.type({ body: 'moved' })
    const saved = editor.save()
    editor.type({ body: 'moved in the night' })
    await accept(0, { isConcurrent: true })
    await accept(1)
    expect((await saved).isConcurrent).toBe(true)
  })

  it('of a new note is kept without an id, and with its id once it has one', async () => {
    const { editor, writes, kept, accept } = open(null)
    editor.type({ title: ' Omelette ' })
    expect([...kept.keys()]).toEqual([null])
    const saved = editor.save()
    editor.type({ body: 'eggs' })
    await accept(0)
    expect([...kept.keys()]).toEqual(['n1'])
    expect(writes[1]).toMatchObject({ text: { title: 'Omelette', body: 'eggs' }, over: { noteId: 'n1' } })
    await accept(1)
    await saved
    expect(kept.size).toBe(0)
  })

  it('is saved by one write, however often that is asked for', async () => {
    const { editor, writes, accept } = open(note())
    editor.type({ body: 'moved' })
    const both = Promise.all([editor.save(), editor.save()])
    await accept(0)
    await both
    expect(writes).toHaveLength(1)
  })

  it('is what was kept, over the newest version, when the note is opened again', async () => {
    const draft = { typed: { title: 'Lightship', body: 'not saved', tags: 'harbour' }, version: 1 }
    const { editor, writes, accept } = open(note({ version: 4, body: 'of another device' }), draft)
    expect([editor.isChanged, editor.typed.body]).toEqual([true, 'not saved'])
    const saved = editor.save()
    expect(writes[0]?.over?.version).toBe(4)
    await accept(0)
    await saved
  })

  it('that was not changed follows a file that is attached, and what was typed stays', () => {
    const { editor } = open(note())
    editor.type({ body: 'moved' })
    editor.follow(note({ version: 2, title: 'From elsewhere', tags: [] }))
    expect(editor.typed).toEqual({ title: 'From elsewhere', body: 'moved', tags: '' })
  })

  it('is given up by the person alone', () => {
    const { editor, kept } = open(note())
    editor.type({ body: 'moved' })
    editor.discard()
    expect([editor.isChanged, editor.typed.body, kept.size]).toEqual([false, 'anchored', 0])
  })
})
