import { useState } from 'preact/hooks'
import { OpenBackup } from '../backup/open-backup.tsx'
import { Link } from '../shell/link.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'
import { Protection } from './protection.tsx'
import { RecoveryKey, type RecoveryKeyProps } from './recovery-key.tsx'

interface StartProps {
  readonly core: string
  readonly onReady: () => Promise<void>
}

/** Somebody without an identity in this browser: create one, or pair. */
export function Start({ core, onReady }: StartProps) {
  const task = useTask()
  const [isCreating, setCreating] = useState(false)
  const [hasBackup, setHasBackup] = useState(false)
  const [sheet, setSheet] = useState<RecoveryKeyProps['sheet'] | null>(null)
  if (sheet) return <RecoveryKey sheet={sheet} onDone={onReady} />
  if (hasBackup) return <OpenBackup core={core} onReady={onReady} onBack={() => setHasBackup(false)} />
  if (isCreating)
    return (
      <section class="card">
        <Heading>{words.protect}</Heading>
        <p>{words.protectLead}</p>
        <Protection
          name={words.title}
          onLock={async (lock) => {
            const { createHere } = await import('./create.ts')
            setSheet(await createHere(core, lock))
          }}
        />
        <button type="button" class="plain" disabled={task.isBusy} onClick={() => setCreating(false)}>
          {words.other}
        </button>
      </section>
    )
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <section class="panel">
        <h2>{words.create}</h2>
        <p>{words.createLead}</p>
        <button type="button" onClick={() => setCreating(true)}>
          {words.create}
        </button>
      </section>
      <section class="panel">
        <h2>{words.pair}</h2>
        <p>{words.pairLead}</p>
        <Link to="/pair">{words.pair}</Link>
      </section>
      <section class="panel">
        <h2>{words.openBackup}</h2>
        <p>{words.openBackupLead}</p>
        <button type="button" class="plain" onClick={() => setHasBackup(true)}>
          {words.openBackup}
        </button>
      </section>
      <section class="panel">
        <h2>{words.recover}</h2>
        <p>{words.recoverLead}</p>
        <Link to="/recovery">{words.recover}</Link>
      </section>
      <section class="panel">
        <h2>{words.signIn}</h2>
        <p>{words.signInLead}</p>
        <Link to="/sign-in">{words.signIn}</Link>
      </section>
    </>
  )
}
