import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import type { RootKeys } from '../keys/root-keys.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { joinHere } from '../start/join.ts'
import { Protection } from '../start/protection.tsx'
import { words } from '../words/backup/words.ts'
import { checkCurrent, openBackup } from './backup-file.ts'

interface OpenBackupProps {
  readonly core: string
  readonly onReady: () => Promise<void>
  readonly onBack: () => void
}

/** Brings the root key of a backup file into this browser, which becomes a device of its identity. */
export function OpenBackup({ core, onReady, onBack }: OpenBackupProps) {
  const task = useTask()
  const [file, setFile] = useState<File | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const [keys, setKeys] = useState<RootKeys | null>(null)
  const open = async () => {
    if (!file) throw new SaidError(words.chooseFile)
    const opened = await openBackup(file, passphrase)
    await checkCurrent(core, opened)
    setPassphrase('')
    setKeys(opened)
  }
  if (keys)
    return (
      <section class="card">
        <Heading>{words.protect}</Heading>
        <p>{words.opened}</p>
        <Exact class="code" name="DID of the backup">
          {keys.identity.did}
        </Exact>
        <p>{words.protectLead}</p>
        <Protection
          name={words.passkeyName}
          onLock={async (lock) => {
            await joinHere(core, keys, lock)
            await onReady()
          }}
        />
      </section>
    )
  return (
    <section class="card">
      <Heading>{words.openTitle}</Heading>
      <p>{words.openLead}</p>
      <Form onSend={open}>
        <FileField label={words.file} accept=".json,application/json" onFile={setFile} />
        <Field
          label={words.filePassphrase}
          isSecret
          value={passphrase}
          onValue={setPassphrase}
          autocomplete="off"
          maxLength={1024}
        />
        <Button>{words.openFile}</Button>
      </Form>
      <button type="button" class="plain" disabled={task.isBusy} onClick={onBack}>
        {words.back}
      </button>
    </section>
  )
}
