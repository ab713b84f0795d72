import type { Client, Note } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../failures/sentences.ts'
import { useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/notes/words.ts'
import { Attachments } from './attachments.tsx'
import { nameOf } from './shelf.ts'
import { Versions } from './versions.tsx'

interface NoteViewProps {
  readonly client: Client
  readonly note: Note | null
  readonly onChange: (note: Note) => void
  readonly onDeleted: (noteId: string) => void
  readonly onBack: () => void
}

interface Draft {
  readonly title: string
  readonly body: string
  readonly tags: string
}

const draftOf = (note: Note | null): Draft => ({
  title: note?.title ?? '',
  body: note?.body ?? '',
  tags: note?.tags.join(', ') ?? '',
})
const tagsOf = ({ tags }: Draft) => [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')

/** One note, to read and to change. Saving writes a version; the earlier ones stay. */
export function NoteView({ client, note, onChange, onDeleted, onBack }: NoteViewProps) {
  const task = useTask()
  /** The newest version that this page knows; the next one follows it. */
  const [base, setBase] = useState(note)
  const [draft, setDraft] = useState(draftOf(note))
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(base))
  useEffect(() => {
    if (!isChanged) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])

  const set = (members: Partial<Draft>) => setDraft((now) => ({ ...now, ...members }))
  const written = (next: Note) => {
    setBase(next)
    onChange(next)
  }
  const save = async () => {
    const text = { title: draft.title.trim(), body: draft.body, tags: tagsOf(draft) }
    const next = await client.notes.put(text, base ?? undefined).catch((error: unknown) => {
      throw error instanceof RangeError ? new SaidError(words.tooLong) : error
    })
    written(next)
    setDraft(draftOf(next))
    task.say(next.isConcurrent ? words.concurrent : words.saved)
  }
  const remove = async ({ noteId }: Note) => {
    await client.notes.delete(noteId)
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
          onConfirm={async () => onBack()}
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
        <Form onSend={save}>
          <Field label={words.noteTitle} value={draft.title} onValue={(title) => set({ title })} />
          <TextArea label={words.body} value={draft.body} onValue={(body) => set({ body })} />
          <Field label={words.tags} hint={words.tagsHint} value={draft.tags} onValue={(tags) => set({ tags })} />
          <div class="actions">
            <Button>{words.save}</Button>
            {isChanged ? <span class="unsaved">{words.unsaved}</span> : null}
          </div>
        </Form>
      </section>
      {base ? (
        <>
          <Attachments client={client} note={base} onChange={written} />
          <Versions
            client={client}
            note={base}
            isChanged={isChanged}
            onRestored={(next) => {
              written(next)
              setDraft(draftOf(next))
            }}
          />
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
