import type { Note } from '@svc/client'
import { draftsOf } from '../drafts/drafts.ts'
import { useLeaveGuard } from '../drafts/use-leave-guard.ts'
import { SaidError } from '../failures/sentences.ts'
import type { Own } from '../own/own.ts'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/notes/words.ts'
import { Attachments } from './attachments.tsx'
import type { NoteDraft } from './editor.ts'
import { noteDraftOf } from './opened.ts'
import { nameOf } from './shelf.ts'
import { useEditor } from './use-editor.ts'
import { Versions } from './versions.tsx'

interface NoteViewProps {
  readonly own: Own
  readonly note: Note | null
  /** What was typed here before and not saved. */
  readonly draft: NoteDraft | null
  readonly onChange: (note: Note) => void
  readonly onDeleted: (noteId: string) => void
  readonly onBack: () => void
}

/** One note, to read and to change. Saving writes a version; the earlier ones stay. */
export function NoteView({ own: { client, device }, note, draft, onChange, onDeleted, onBack }: NoteViewProps) {
  const task = useTask()
  const editor = useEditor(note, draft, {
    write: (text, over) =>
      client.notes.put(text, over ?? undefined).catch((error: unknown) => {
        throw error instanceof RangeError ? new SaidError(words.tooLong) : error
      }),
    keep: (of, kept) => void draftsOf(device).keep(noteDraftOf(of), kept),
  })
  const { base, typed, isChanged } = editor
  useLeaveGuard(isChanged)

  const save = async () => {
    const written = await editor.save()
    onChange(written)
    task.say(written.isConcurrent ? words.concurrent : words.saved)
  }
  const follow = (next: Note) => {
    editor.follow(next)
    onChange(next)
  }
  const remove = async ({ noteId }: Note) => {
    await client.notes.delete(noteId)
    editor.discard()
    onDeleted(noteId)
    task.say(words.deleted)
  }
  return (
    <>
      {isChanged ? (
        <Confirmed
          action={words.back}
          confirm={words.discard}
          title={words.discardTitle}
          look="quiet"
          onConfirm={async () => {
            editor.discard()
            onBack()
          }}
        >
          <p>{words.discardText}</p>
        </Confirmed>
      ) : (
        <button type="button" class="quiet" onClick={onBack}>
          {words.back}
        </button>
      )}
      <section class="panel note-view">
        <Heading>{base ? nameOf(base) : words.create}</Heading>
        <Form onSend={save} isOpenWhileSent>
          <Field label={words.noteTitle} value={typed.title} onValue={(title) => editor.type({ title })} />
          <TextArea label={words.body} value={typed.body} onValue={(body) => editor.type({ body })} />
          <Field
            label={words.tags}
            hint={words.tagsHint}
            value={typed.tags}
            onValue={(tags) => editor.type({ tags })}
          />
          <div class="actions">
            <Button>{words.save}</Button>
            {isChanged ? <span class="unsaved">{words.unsaved}</span> : null}
          </div>
        </Form>
      </section>
      {base ? (
        <>
          <Attachments client={client} note={base} onChange={follow} />
          <Versions client={client} note={base} isChanged={isChanged} onRestored={follow} />
          <section class="panel">
            <h2>{words.delete}</h2>
            <p>{words.deleteLead}</p>
            <Confirmed action={words.delete} title={words.deleteTitle} onConfirm={() => remove(base)}>
              <p>{words.deleteText}</p>
            </Confirmed>
          </section>
        </>
      ) : (
        <p class="soft after">{words.saveFirst}</p>
      )}
    </>
  )
}
