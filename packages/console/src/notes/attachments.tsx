import type { AttachedFile, Client, Note } from '@svc/client'
import { useId, useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { saveFile } from '../shell/save-file.ts'
import { sizeOf } from '../shell/sizes.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'

interface AttachmentsProps {
  readonly client: Client
  readonly note: Note
  readonly onChange: (note: Note) => void
}

interface Moving {
  readonly name: string
  readonly share: number
}

/** Files that are encrypted here, and named only inside the note. */
export function Attachments({ client, note, onChange }: AttachmentsProps) {
  const task = useTask()
  const id = useId()
  const [moving, setMoving] = useState<Moving | null>(null)

  const onProgress =
    (name: string) =>
    ({ done, total }: { readonly done: number; readonly total: number | null }) =>
      setMoving({ name, share: total ? done / total : 0 })
  const move = async (name: string, work: () => Promise<void>) => {
    setMoving({ name, share: 0 })
    try {
      await work()
    } finally {
      setMoving(null)
    }
  }
  const add = (file: File) =>
    move(file.name, async () => {
      const content = { name: file.name, type: file.type || 'application/octet-stream', bytes: file }
      const options = { onProgress: onProgress(file.name) }
      const next = await client.notes.attach(note, content, options).catch((error: unknown) => {
        throw error instanceof RangeError ? new SaidError(words.fileTooLarge) : error
      })
      onChange(next)
      task.say(words.attached)
    })
  const download = (file: AttachedFile) =>
    move(file.name, async () => {
      const bytes = await client.notes.attachment(note.noteId, file, { onProgress: onProgress(file.name) })
      saveFile(file.name, new Uint8Array(bytes))
    })
  const remove = async ({ attachmentId }: AttachedFile) => {
    const attachments = note.attachments.filter((one) => one.attachmentId !== attachmentId)
    onChange(await client.notes.put(note, { ...note, attachments }))
    task.say(words.detached)
  }
  return (
    <section class="panel">
      <h2>{words.attachments}</h2>
      {note.attachments.length === 0 ? <p class="soft">{words.noFiles}</p> : null}
      <ul class="list">
        {note.attachments.map((file) => (
          <li key={file.attachmentId}>
            <div>
              <strong>{file.name}</strong>
              <small>{sizeOf(file.bytes)}</small>
            </div>
            <div class="actions">
              <Button look="quiet" label={`${words.download} ${file.name}`} onPress={() => download(file)}>
                {words.download}
              </Button>
              <Confirmed
                look="quiet"
                action={words.detach}
                label={`${words.detach} ${file.name}`}
                title={words.detachTitle}
                onConfirm={() => remove(file)}
              >
                <p>{words.detachText(file.name)}</p>
              </Confirmed>
            </div>
          </li>
        ))}
      </ul>
      {moving ? (
        <p>
          <progress class="moving" value={moving.share} max={1} aria-label={moving.name} />
          {words.moving(moving.name, Math.round(moving.share * 100))}
        </p>
      ) : null}
      <label for={id}>{words.attach}</label>
      <input
        id={id}
        type="file"
        disabled={task.isBusy}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) void task.run(() => add(file))
        }}
      />
      <small class="hint">{words.attachHint}</small>
    </section>
  )
}
