import type { Note } from '@svc/client'
import { isStampNote, searchNotes } from '@svc/client/functions'
import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { momentOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'
import { Closed } from './closed.tsx'
import { Export } from './export.tsx'
import { Sharing } from './sharing.tsx'
import { nameOf, type Shelf } from './shelf.ts'

interface NoteListProps {
  readonly own: Own
  readonly shelf: Shelf
  readonly onOpen: (note: Note) => void
  readonly onShelf: (shelf: Shelf) => void
}

export function NoteList({ own, shelf, onOpen, onShelf }: NoteListProps) {
  const { client, device } = own
  const task = useTask()
  const [query, setQuery] = useState('')
  // Stamps are shown with their anchors.
  const written = shelf.notes.filter(({ noteId }) => !isStampNote(noteId))
  const shown = searchNotes(written, query)
  return (
    <>
      <Closed own={own} shelf={shelf} onShelf={onShelf} />
      {shelf.wrong > 0 ? (
        <p role="alert" class="bad">
          {words.wrong(shelf.wrong)}
        </p>
      ) : null}
      <Sharing client={client} shelf={shelf} onShelf={onShelf} />
      <section class="panel">
        <h2>{words.list}</h2>
        <Field label={words.search} hint={words.searchHint} value={query} onValue={setQuery} />
        <p role="status" class="soft">
          {query.trim() === '' ? words.count(written.length) : words.hits(shown.length)}
        </p>
        <ul class="list notes">
          {shown.map((note) => (
            <li key={note.noteId}>
              <button type="button" class="plain entry" disabled={task.isBusy} onClick={() => onOpen(note)}>
                <strong>{nameOf(note)}</strong>
                <span class="first-line">{firstLine(note)}</span>
                <small>
                  {momentOf(note.acceptedAt)}
                  {note.attachments.length > 0 ? ` · ${words.files(note.attachments.length)}` : null}
                </small>
              </button>
              {note.tags.length > 0 ? (
                <span>
                  {note.tags.map((tag) => (
                    <span key={tag} class="tag">
                      {tag}
                    </span>
                  ))}
                </span>
              ) : null}
            </li>
          ))}
        </ul>
      </section>
      <Export client={client} did={device.did} notes={shelf.notes} />
    </>
  )
}

function firstLine({ title, body }: Note): string {
  return title.trim() === '' ? '' : (body.trim().split('\n', 1)[0] ?? '')
}
