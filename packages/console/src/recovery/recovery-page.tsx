import '../start/start.css'
import '../home/home.css'
import type { RecoveryProgress } from '@svc/client'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import type { LockedBy } from '../keys/lock.ts'
import { rootLockedBy } from '../keys/root-keys.ts'
import { enterAnew } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { Button } from '../shell/button.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { RecoveryKey, type RecoveryKeyProps } from '../start/recovery-key.tsx'
import { words } from '../words/recovery/words.ts'
import { Standing } from './standing.tsx'
import { deviceHere, proceed, type Recovering, unlockedDevice } from './take-over.ts'
import { TakingOver } from './taking-over.tsx'
import { readRecoveryFile, readWrittenKey } from './written-key.ts'

/** Replaces a root key that was lost or stolen with the recovery key that was written down. */
export function RecoveryPage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Recovery core={configuration.services.core} />
    </TaskArea>
  )
}

function Recovery({ core }: { readonly core: string }) {
  const task = useTask()
  const [file, setFile] = useState<File | null>(null)
  const [text, setText] = useState('')
  const [recovering, setRecovering] = useState<Recovering | null>(null)
  const [progress, setProgress] = useState<RecoveryProgress | null>(null)
  /** What opens the device of this browser, until it is open. */
  const [lockedBy, setLockedBy] = useState<LockedBy | null>(null)
  /** What opens the root key of this browser; null if there is none. */
  const [rootLock, setRootLock] = useState<LockedBy | null>(null)
  const [sheet, setSheet] = useState<RecoveryKeyProps['sheet'] | null>(null)

  const begin = async () => {
    if (!file) throw new SaidError(words.chooseFile)
    const kept = await readRecoveryFile(file)
    const successor = await readWrittenKey(text, kept)
    const here = await deviceHere(kept.did)
    setLockedBy(here.lockedBy)
    setRootLock(await rootLockedBy())
    await advance({ kept, successor, device: here.device })
    setText('')
  }
  const advance = async (next: Recovering) => {
    setProgress(await proceed(core, next))
    setRecovering(next)
  }
  const leave = async () => {
    enterAnew()
    go('/')
  }
  if (sheet) return <RecoveryKey sheet={sheet} onDone={leave} />
  if (recovering && progress?.status.stage === 'done')
    return (
      <TakingOver
        core={core}
        recovering={recovering}
        rotationId={progress.status.rotation?.rotationId ?? null}
        rootLock={rootLock}
        onSheet={setSheet}
      />
    )
  if (recovering && progress)
    return (
      <Standing
        core={core}
        recovering={recovering}
        progress={progress}
        lockedBy={lockedBy}
        onUnlock={async (lock) => {
          await advance({ ...recovering, device: await unlockedDevice(recovering.kept.did, lock) })
          setLockedBy(null)
        }}
        onProceed={async () => {
          await advance(recovering)
          task.say(words.checked)
        }}
      />
    )
  return (
    <section class="card">
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Form onSend={begin}>
        <FileField label={words.file} hint={words.fileHint} accept=".json,application/json" onFile={setFile} />
        <TextArea label={words.key} rows={6} value={text} onValue={setText} />
        <p class="soft">{words.keyHint}</p>
        <Button>{words.begin}</Button>
      </Form>
    </section>
  )
}
