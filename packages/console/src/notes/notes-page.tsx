import './notes.css'
import type { Note } from '@svc/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../failures/sentences.ts'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/notes/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
import { NoteList } from './note-list.tsx'
import { NoteView } from './note-view.tsx'
import { addressOf, NOTES, noteAddress, type Opened, openNote } from './opened.ts'
import { readShelf, type Shelf, withNote } from './shelf.ts'

/** Notes that only the devices of the identity can read. */
export function NotesPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Notes own={own} path={props.path} />}</SignedIn>
}

interface NotesProps {
  readonly own: Own
  readonly path: string
}

function Notes({ own, path }: NotesProps) {
  const { client, device } = own
  const task = useTask()
  const [shelf, setShelf] = useState<Shelf | null>(null)
  const [opened, setOpened] = useState<(Opened & { readonly at: string }) | null>(null)
  /** The address of the note that is shown. A note that has just been written gets one of its own, and stays as it is. */
  const shown = useRef<string | null>(null)
  const address = addressOf(path)
  const read = async () => setShelf(await readShelf(client, (done, total) => task.say(words.reading(done, total))))
  const refresh = async () => {
    await read()
    task.say('')
  }
  const change = (noteId: string, note: Note | null) => setShelf((now) => now && withNote(now, noteId, note))

  useEffect(() => {
    if (address.is === 'list' && shelf === null) void task.run(refresh)
  }, [address.is])
  useEffect(() => {
    if (shown.current === path) return undefined
    shown.current = null
    setOpened(null)
    if (address.is === 'list') return undefined
    let isWanted = true
    openNote(client, device, address.noteId).then(
      (found) => {
        if (!isWanted) return
        shown.current = path
        if (found.note) change(found.note.noteId, found.note)
        setOpened({ ...found, at: path })
        task.say(found.draft === null ? '' : found.isOlder ? words.draftOlder : words.draftBack)
      },
      (error: unknown) => isWanted && task.say(sentenceOf(error), true),
    )
    return () => {
      isWanted = false
    }
  }, [path])

  // A save that goes on after the person has left leads nowhere.
  useEffect(
    () => () => {
      shown.current = null
    },
    [],
  )

  const written = (note: Note) => {
    change(note.noteId, note)
    const to = noteAddress(note.noteId)
    if (shown.current === null || shown.current === to) return
    shown.current = to
    go(to, { replace: true })
  }
  const close = () => {
    go(NOTES)
    task.say('')
  }
  if (address.is === 'note')
    return opened ? (
      <NoteView
        key={opened.at}
        own={own}
        note={opened.note}
        draft={opened.draft}
        onChange={written}
        onDeleted={(noteId) => {
          change(noteId, null)
          go(NOTES, { replace: true })
        }}
        onBack={close}
      />
    ) : (
      <>
        <button type="button" class="quiet" onClick={close}>
          {words.back}
        </button>
        <p>{shellWords.loading}</p>
      </>
    )
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <div class="actions">
        <button type="button" onClick={() => go(noteAddress(null))}>
          {words.create}
        </button>
        <Button look="plain" onPress={refresh}>
          {words.refresh}
        </Button>
      </div>
      {shelf ? (
        <NoteList own={own} shelf={shelf} onOpen={({ noteId }) => go(noteAddress(noteId))} onShelf={setShelf} />
      ) : null}
    </>
  )
}
