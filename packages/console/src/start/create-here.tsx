import type { KeptRecovery } from '@svc/client'
import { useRef, useState } from 'preact/hooks'
import { checkStorage } from '../keys/device-keys.ts'
import type { Lock } from '../keys/lock.ts'
import type { MadeSheet } from '../sheets/made-sheet.ts'
import { MakeSheets } from '../sheets/make-sheets.tsx'
import { RecoveryFile } from '../sheets/recovery-file.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'
import { type Begun, begin, createHere } from './create.ts'
import { Protection } from './protection.tsx'

export interface CreateHereProps {
  readonly core: string
  readonly onReady: () => Promise<void>
  readonly onBack: () => void
}

/** Creates an identity with this browser as its first device. Sends nothing until its words are written down. */
export function CreateHere({ core, onReady, onBack }: CreateHereProps) {
  const task = useTask()
  const [lock, setLock] = useState<Lock | null>(null)
  const begun = useRef<Begun | null>(null)
  const [recovery, setRecovery] = useState<KeptRecovery | null>(null)
  if (recovery) return <RecoveryFile recovery={recovery} onDone={onReady} />
  if (lock) {
    const create = async (sheets: readonly MadeSheet[]) => {
      begun.current = await begin(sheets, begun.current)
      setRecovery(await createHere(core, lock, begun.current))
    }
    return <MakeSheets onMade={create} />
  }
  const protect = async (chosen: Lock) => {
    // Before anybody writes words down.
    await checkStorage()
    setLock(chosen)
  }
  return (
    <section class="card">
      <Heading>{words.protect}</Heading>
      <p>{words.protectLead}</p>
      <Protection name={words.title} onLock={protect} />
      <button type="button" class="plain" disabled={task.isBusy} onClick={onBack}>
        {words.other}
      </button>
    </section>
  )
}
