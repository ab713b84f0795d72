import type { KeptRecovery } from '@svc/client'
import { Button } from '../shell/button.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'
import { saveRecovery } from './save-recovery.ts'

interface RecoveryFileProps {
  readonly recovery: KeptRecovery
  readonly onDone: () => Promise<void>
}

/** Offers the recovery file, with which a recovery with the words takes a day instead of 30. */
export function RecoveryFile({ recovery, onDone }: RecoveryFileProps) {
  return (
    <section class="card">
      <Heading>{words.fileTitle}</Heading>
      <p>{words.fileLead}</p>
      <div class="actions">
        <button type="button" class="plain" onClick={() => saveRecovery(recovery)}>
          {words.download}
        </button>
        <Button onPress={onDone}>{words.fileDone}</Button>
      </div>
    </section>
  )
}
