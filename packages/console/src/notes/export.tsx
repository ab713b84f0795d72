import type { Client, Note } from '@svc/client'
import { chunk } from '../failures/chunk.ts'
import { Button } from '../shell/button.tsx'
import { saveFile } from '../shell/save-file.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'
import { nameOf } from './shelf.ts'

interface ExportProps {
  readonly client: Client
  readonly did: string
  readonly notes: readonly Note[]
}

/** Everything as one file: encrypted and complete, or the text to read. */
export function Export({ client, did, notes }: ExportProps) {
  const task = useTask()
  const saveArchive = async () => {
    const noteArchiveLines = await chunk(() =>
      import('@svc/client/functions').then(({ noteArchiveLines: loaded }) => loaded),
    )
    const lines: string[] = []
    for await (const line of noteArchiveLines(did, client.notes.export())) lines.push(`${line}\n`)
    saveFile('notes.jsonl', lines.join(''))
    task.say(words.exported)
  }
  const saveText = async () => {
    saveFile('notes.md', notes.map((note) => `# ${nameOf(note)}\n\n${note.body}\n`).join('\n'))
    task.say(words.exported)
  }
  return (
    <section class="panel">
      <h2>{words.export}</h2>
      <p>{words.exportLead}</p>
      <div class="actions">
        <Button look="plain" onPress={saveArchive}>
          {words.exportArchive}
        </Button>
        <Button look="plain" onPress={saveText}>
          {words.exportText}
        </Button>
      </div>
    </section>
  )
}
