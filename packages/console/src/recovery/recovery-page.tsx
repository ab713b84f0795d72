import '../start/start.css'
import '../home/home.css'
import type { KeptRecovery, RecoveryProgress } from '@svc/client'
import type { SheetRecord } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import type { LockedBy } from '../keys/lock.ts'
import { rootLockedBy } from '../keys/root-keys.ts'
import { enterAnew } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import type { KnownSheets } from '../sheets/known-sheets.ts'
import { RecoveryFile } from '../sheets/recovery-file.tsx'
import { saveRecovery } from '../sheets/save-recovery.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/recovery/words.ts'
import { type ByWords, fileByWords, findByWords, readerOf } from './by-words.ts'
import { OtherSheet } from './other-sheet.tsx'
import { Rival } from './rival.tsx'
import { Standing } from './standing.tsx'
import { deviceHere, proceed, type Recovering, sheetsAfter, unlockedDevice } from './take-over.ts'
import { TakingOver } from './taking-over.tsx'
import { readRecoveryFile, readWrittenKey } from './written-key.ts'

/** Replaces a root key that was lost or stolen with the words that were written down. */
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
  /** The DID that a person without a recovery file enters; null with a file. */
  const [did, setDid] = useState<string | null>(null)
  const [text, setText] = useState('')
  /** The sheet of a person without a recovery file, while other sheets of the identity are missing here. */
  const [byWords, setByWords] = useState<ByWords | null>(null)
  const [recovering, setRecovering] = useState<Recovering | null>(null)
  /** Null while another rotation is pending that may be the owner's own. */
  const [progress, setProgress] = useState<RecoveryProgress | null>(null)
  /** What opens the device of this browser, until it is open. */
  const [lockedBy, setLockedBy] = useState<LockedBy | null>(null)
  /** What opens the root key of this browser; null if there is none. */
  const [rootLock, setRootLock] = useState<LockedBy | null>(null)
  /** The sheets that may follow the new key, once it is the root key. */
  const [known, setKnown] = useState<KnownSheets | null>(null)
  /** The recovery file for the next recovery. */
  const [renewed, setRenewed] = useState<KeptRecovery | null>(null)

  const begin = async () => {
    if (did !== null) return beginByWords(did.trim())
    if (!file) throw new SaidError(words.chooseFile)
    await beginWith(await readRecoveryFile(file))
  }
  const beginByWords = async (of: string) => {
    if (!of.startsWith('did:svc:')) throw new SaidError(words.badDid)
    const found = await findByWords(await readerOf(core), of, { text })
    if (found.known.missing > 0) setByWords(found)
    else await beginWithout(found, found.known.records)
  }
  const beginWithout = async (found: ByWords, records: readonly SheetRecord[]) => {
    const made = await fileByWords(await readerOf(core), found, records)
    saveRecovery(made)
    await beginWith(made)
  }
  const beginWith = async (kept: KeptRecovery) => {
    const written = await readWrittenKey(text, kept)
    const here = await deviceHere(kept.did)
    setLockedBy(here.lockedBy)
    setRootLock(await rootLockedBy())
    await advance({ ...written, device: here.device, dispute: false })
    setText('')
  }
  const advance = async (next: Recovering) => {
    const made = await proceed(core, next)
    if (made?.status.stage === 'done') setKnown(await sheetsAfter(core, next))
    setProgress(made)
    setRecovering(next)
  }
  const leave = async () => {
    enterAnew()
    go('/')
  }
  if (renewed) return <RecoveryFile recovery={renewed} onDone={leave} />
  if (recovering && known && progress)
    return (
      <TakingOver
        core={core}
        recovering={recovering}
        rotationId={progress.status.rotation?.rotationId ?? null}
        rootLock={rootLock}
        known={known}
        onRecovery={setRenewed}
      />
    )
  if (recovering && !progress)
    return (
      <Rival
        onMine={async () => setRecovering(null)}
        onNotMine={async () => {
          await advance({ ...recovering, dispute: true })
        }}
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
  if (byWords)
    return (
      <OtherSheet
        known={byWords.known}
        knownWith={async (others) =>
          (await findByWords(await readerOf(core), byWords.successor.did, { text, others })).known
        }
        onRecords={(records) => beginWithout(byWords, records)}
      />
    )
  return (
    <section class="card">
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Form onSend={begin}>
        {did === null ? (
          <FileField label={words.file} hint={words.fileHint} accept=".json,application/json" onFile={setFile} />
        ) : (
          <>
            <p class="note">{words.noFileLead}</p>
            <Field label={words.did} value={did} onValue={setDid} />
          </>
        )}
        <button type="button" class="quiet" onClick={() => setDid(did === null ? '' : null)}>
          {did === null ? words.noFile : words.hasFile}
        </button>
        <TextArea label={words.key} rows={6} value={text} onValue={setText} />
        <p class="soft">{words.keyHint}</p>
        <Button>{words.begin}</Button>
      </Form>
    </section>
  )
}
