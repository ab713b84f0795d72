import { useState } from 'preact/hooks'
import { MIN_PASSPHRASE } from '../keys/lock.ts'
import { openRootKeys } from '../keys/root-keys.ts'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Locked } from '../shell/locked.tsx'
import { saveFile } from '../shell/save-file.ts'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/backup/words.ts'
import { backupOf } from './backup-file.ts'
import { fileName } from './file-name.ts'

/** What is kept elsewhere for the day on which this browser is gone. */
export function BackupPage(props: PageProps) {
  return (
    <SignedIn {...props}>
      {(own) => (
        <>
          <Heading>{words.title}</Heading>
          <p>{words.lead}</p>
          {own.rootLock === null ? <p class="note">{words.elsewhere}</p> : <Downloads {...own} />}
        </>
      )}
    </SignedIn>
  )
}

function Downloads({ device, rootLock }: Own) {
  const task = useTask()
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [isChosen, setChosen] = useState(false)
  if (rootLock === null) return null
  const choose = async () => {
    if (passphrase.length < MIN_PASSPHRASE) throw new SaidError(words.passphraseShort(MIN_PASSPHRASE))
    if (passphrase !== again) throw new SaidError(words.passphraseDiffers)
    setChosen(true)
  }
  const reset = () => {
    setPassphrase('')
    setAgain('')
    setChosen(false)
  }
  return (
    <>
      <section class="panel">
        <h2>{words.backup}</h2>
        <p>{words.backupLead}</p>
        {isChosen ? (
          <>
            <p>{words.unlock}</p>
            <div class="actions">
              <Locked
                by={rootLock}
                action={words.download}
                onLock={async (lock) => {
                  saveFile(fileName('backup', device.did), await backupOf(await openRootKeys(lock), passphrase))
                  reset()
                  task.say(words.downloaded)
                }}
              />
              <button type="button" class="plain" onClick={reset}>
                {words.back}
              </button>
            </div>
          </>
        ) : (
          <Form onSend={choose}>
            <Field
              label={words.newPassphrase}
              hint={words.passphraseHint(MIN_PASSPHRASE)}
              isSecret
              value={passphrase}
              onValue={setPassphrase}
              autocomplete="new-password"
              maxLength={1024}
            />
            <Field
              label={words.again}
              isSecret
              value={again}
              onValue={setAgain}
              autocomplete="new-password"
              maxLength={1024}
            />
            <Button>{words.next}</Button>
          </Form>
        )}
      </section>
      <RecoveryFile did={device.did} rootLock={rootLock} />
    </>
  )
}

/** It has no secrets, but the root key is kept together with it. */
function RecoveryFile({ did, rootLock }: { readonly did: string; readonly rootLock: NonNullable<Own['rootLock']> }) {
  const task = useTask()
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="panel">
      <h2>{words.recovery}</h2>
      <p>{words.recoveryLead}</p>
      {isOpen ? (
        <Locked
          by={rootLock}
          action={words.downloadRecovery}
          onLock={async (lock) => {
            const { recovery } = await openRootKeys(lock)
            if (!recovery) throw new SaidError(words.noRecovery)
            saveFile(fileName('recovery', did), JSON.stringify(recovery))
            setOpen(false)
            task.say(words.downloaded)
          }}
        />
      ) : (
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          {words.recoveryFile}
        </button>
      )}
    </section>
  )
}
