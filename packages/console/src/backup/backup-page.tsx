import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { openRootKeys } from '../keys/root-keys.ts'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Locked } from '../shell/locked.tsx'
import { NewPassphrase } from '../shell/new-passphrase.tsx'
import { saveFile } from '../shell/save-file.ts'
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
  const [passphrase, setPassphrase] = useState<string | null>(null)
  if (rootLock === null) return null
  return (
    <>
      <section class="panel">
        <h2>{words.backup}</h2>
        <p>{words.backupLead}</p>
        {passphrase === null ? (
          <NewPassphrase
            label={words.newPassphrase}
            action={words.next}
            onChosen={async (chosen) => setPassphrase(chosen)}
          />
        ) : (
          <>
            <p>{words.unlock}</p>
            <div class="actions">
              <Locked
                by={rootLock}
                action={words.download}
                onLock={async (lock) => {
                  saveFile(fileName('backup', device.did), await backupOf(await openRootKeys(lock), passphrase))
                  setPassphrase(null)
                  task.say(words.downloaded)
                }}
              />
              <button type="button" class="plain" onClick={() => setPassphrase(null)}>
                {words.back}
              </button>
            </div>
          </>
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
