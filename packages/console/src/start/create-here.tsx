import { useState } from 'preact/hooks'
import type { Lock } from '../keys/lock.ts'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'
import { createHere } from './create.ts'
import { Protection } from './protection.tsx'
import { RecoveryKey, type RecoveryKeyProps } from './recovery-key.tsx'

export interface CreateHereProps {
  readonly core: string
  readonly onReady: () => Promise<void>
  readonly onBack: () => void
}

/** Creates an identity, with this browser as its first device. */
export function CreateHere({ core, onReady, onBack }: CreateHereProps) {
  const task = useTask()
  const [sheet, setSheet] = useState<RecoveryKeyProps['sheet'] | null>(null)
  if (sheet) return <RecoveryKey sheet={sheet} onDone={onReady} />
  return (
    <section class="card">
      <Heading>{words.protect}</Heading>
      <p>{words.protectLead}</p>
      <Protection name={words.title} onLock={async (lock: Lock) => setSheet(await createHere(core, lock))} />
      <button type="button" class="plain" disabled={task.isBusy} onClick={onBack}>
        {words.other}
      </button>
    </section>
  )
}
