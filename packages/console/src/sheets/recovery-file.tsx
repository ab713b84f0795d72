import type { KeptRecovery } from '@svc/client'
import { fileName } from '../backup/file-name.ts'
import { Button } from '../shell/button.tsx'
import { saveFile } from '../shell/save-file.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'

interface RecoveryFileProps {
  readonly recovery: KeptRecovery
  readonly onDone: () => Promise<void>
}

/** What makes a recovery with the words take a day instead of thirty. */
export function RecoveryFile({ recovery, onDone }: RecoveryFileProps) {
  return (
    <section class="card">
      <Heading>{words.fileTitle}</Heading>
      <p>{words.fileLead}</p>
      <div class="actions">
        <button
          type="button"
          class="plain"
          onClick={() => saveFile(fileName('recovery', recovery.did), JSON.stringify(recovery))}
        >
          {words.download}
        </button>
        <Button onPress={onDone}>{words.fileDone}</Button>
      </div>
    </section>
  )
}
