import './notes.css'
import type { Note } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/notes/words.ts'
import { NoteList } from './note-list.tsx'
import { NoteView } from './note-view.tsx'
import { readShelf, type Shelf, withNote } from './shelf.ts'

/** Notes that only the devices of the identity can read. */
export function NotesPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Notes {...own} />}</SignedIn>
}

function Notes(own: Own) {
  const { client } = own
  const task = useTask()
  const [shelf, setShelf] = useState<Shelf | null>(null)
  /** Null for a note that is not written yet. */
  const [opened, setOpened] = useState<{ readonly note: Note | null } | null>(null)
  const read = async () => setShelf(await readShelf(client, (done, total) => task.say(words.reading(done, total))))
  const refresh = async () => {
    await read()
    task.say('')
  }
  useEffect(() => void task.run(refresh), [])

  /** As it is now: another device may have changed it since the list was read. */
  const open = async ({ noteId }: Note) => {
    const note = await client.notes.get(noteId)
    change(noteId, note)
    setOpened({ note })
  }
  const close = () => {
    setOpened(null)
    task.say('')
  }
  const change = (noteId: string, note: Note | null) => setShelf((now) => now && withNote(now, noteId, note))
  if (opened)
    return (
      <NoteView
        client={client}
        note={opened.note}
        onChange={(note) => change(note.noteId, note)}
        onDeleted={(noteId) => {
          change(noteId, null)
          setOpened(null)
        }}
        onBack={close}
      />
    )
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <div class="actions">
        <button type="button" onClick={() => setOpened({ note: null })}>
          {words.create}
        </button>
        <Button look="plain" onPress={refresh}>
          {words.refresh}
        </Button>
      </div>
      {shelf ? (
        <NoteList own={own} shelf={shelf} onOpen={(note) => void task.run(() => open(note))} onShelf={setShelf} />
      ) : null}
    </>
  )
}
