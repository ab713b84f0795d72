import type { RecoveryProgress } from '@svc/client'
import { fileName } from '../backup/file-name.ts'
import { Exact } from '../content/exact.tsx'
import { Countdown } from '../home/countdown.tsx'
import type { Lock, LockedBy } from '../keys/lock.ts'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { Locked } from '../shell/locked.tsx'
import { saveFile } from '../shell/save-file.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/recovery/words.ts'
import { operatorFile, type Recovering } from './take-over.ts'

interface StandingProps {
  readonly core: string
  readonly recovering: Recovering
  readonly progress: RecoveryProgress
  readonly lockedBy: LockedBy | null
  readonly onUnlock: (lock: Lock) => Promise<void>
  readonly onProceed: () => Promise<void>
}

/** What a recovery has come to, what it waits for, and for whom. */
export function Standing({ core, recovering, progress, lockedBy, onUnlock, onProceed }: StandingProps) {
  const { status, needs } = progress
  const { did } = recovering.kept
  const isOver = status.stage === 'void' || (status.next.act === 'none' && needs === null)
  const withoutDevice = lockedBy === null ? words.needsDevice : words.needsUnlocked
  const needsText = needs === 'device' ? withoutDevice : words.needsOperator
  const save = async () =>
    saveFile(fileName('for-operator', did), JSON.stringify(await operatorFile(core, recovering), null, 2))
  return (
    <section class="card">
      <Heading>{words.standing}</Heading>
      <Exact class="code" name="DID that is recovered">
        {did}
      </Exact>
      <p>{stageOf(status)}</p>
      {status.next.at === null ? null : (
        <>
          <Countdown until={status.next.at} />
          <p>{words.comeBack(momentOf(status.next.at))}</p>
        </>
      )}
      {needs === 'device' && lockedBy !== null ? (
        <>
          <p>{words.unlockLead}</p>
          <Locked by={lockedBy} action={words.unlock} onLock={onUnlock} />
        </>
      ) : null}
      {needs === null ? null : (
        <>
          <p class="note">{needsText}</p>
          <p class="soft">{words.operatorHint}</p>
        </>
      )}
      <div class="actions">
        {isOver ? null : <Button onPress={onProceed}>{words.proceed}</Button>}
        {needs === null ? null : (
          <Button look="plain" onPress={save}>
            {words.operatorFile}
          </Button>
        )}
      </div>
    </section>
  )
}

function stageOf({ stage, isCommitted, rotation }: RecoveryProgress['status']): string {
  if (isCommitted && stage === 'waiting') return words.waitingByWords
  if (isCommitted && stage === 'opened' && rotation?.basis === 'successor') return words.waitingAlone
  return words.stages[stage]
}
