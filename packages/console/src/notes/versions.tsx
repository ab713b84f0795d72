import type { Client, Note } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'

interface VersionsProps {
  readonly client: Client
  readonly note: Note
  /** There is something in the editor that a restored text would replace. */
  readonly isChanged: boolean
  readonly onRestored: (note: Note) => void
}

/** What a note was before. Restoring writes the old text as the newest version. */
export function Versions({ client, note, isChanged, onRestored }: VersionsProps) {
  const task = useTask()
  const [shown, setShown] = useState<Note | null>(null)
  useEffect(() => setShown(null), [note.version])
  const show = async (version: number) => {
    const answer = await client.notes.safeGet(note.noteId, version)
    if (answer.ok) return setShown(answer.value)
    throw new SaidError(answer.error.reason === 'wrong_key' ? words.versionClosed : words.versionWrong)
  }
  const restore = async (old: Note) => {
    if (isChanged) throw new SaidError(words.saveBeforeRestoring)
    onRestored(await client.notes.put(old, { ...note, attachments: old.attachments }))
    task.say(words.restored(old.version))
  }
  return (
    <Part title={words.versions} of={String(note.version)} read={() => client.notes.history(note.noteId)}>
      {(versions) => (
        <>
          <p>{words.versionsLead}</p>
          <ul class="list">
            {versions.toReversed().map(({ version, acceptedAt }) => (
              <li key={version}>
                <div>
                  <strong>{words.version(version)}</strong>
                  {version === note.version ? <span class="tag">{words.isCurrent}</span> : null}
                  <small>{momentOf(acceptedAt)}</small>
                </div>
                {version === note.version ? null : (
                  <Button look="quiet" label={`${words.show}: ${words.version(version)}`} onPress={() => show(version)}>
                    {words.show}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {shown ? (
            <article class="old-version" aria-label={words.version(shown.version)}>
              <h3>{shown.title || words.untitled}</h3>
              <p class="text">{shown.body}</p>
              {shown.attachments.length > 0 ? <p class="soft">{words.files(shown.attachments.length)}</p> : null}
              <Button look="plain" onPress={() => restore(shown)}>
                {words.restore(shown.version)}
              </Button>
            </article>
          ) : null}
        </>
      )}
    </Part>
  )
}
