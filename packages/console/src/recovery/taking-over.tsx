import { useState } from 'preact/hooks'
import type { LockedBy } from '../keys/lock.ts'
import type { RootKeys } from '../keys/root-keys.ts'
import { Locked } from '../shell/locked.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { Protection } from '../start/protection.tsx'
import type { RecoveryKeyProps } from '../start/recovery-key.tsx'
import { words } from '../words/recovery/words.ts'
import { formerHere, type Recovering, takeOver } from './take-over.ts'

interface TakingOverProps {
  readonly core: string
  readonly recovering: Recovering
  /** Of the rotation that made the new key the root key. */
  readonly rotationId: string | null
  /** What opens the root key that this browser has from before; null if it has none. */
  readonly rootLock: LockedBy | null
  readonly onSheet: (sheet: RecoveryKeyProps['sheet']) => void
}

/** The last step: what becomes of the root key that was here, and what encrypts the new one. */
export function TakingOver({ core, recovering, rotationId, rootLock, onSheet }: TakingOverProps) {
  const task = useTask()
  /** The keys that go on opening what is older; null until that is decided. */
  const [former, setFormer] = useState<RootKeys['former'] | null>(rootLock === null ? [] : null)
  if (former === null && rootLock !== null)
    return (
      <section class="card">
        <Heading>{words.doneTitle}</Heading>
        <p>{words.formerText}</p>
        <Locked
          by={rootLock}
          action={words.keepFormer}
          onLock={async (lock) => setFormer(await formerHere(recovering, lock))}
        />
        <p class="soft">{words.formerLost}</p>
        <button type="button" class="plain" disabled={task.isBusy} onClick={() => setFormer([])}>
          {words.withoutFormer}
        </button>
      </section>
    )
  return (
    <section class="card">
      <Heading>{words.doneTitle}</Heading>
      <p>{words.doneText}</p>
      <Protection
        name={words.passkeyName}
        onLock={async (lock) => {
          const { sheet, recovery } = await takeOver(core, { ...recovering, rotationId, former: former ?? [] }, lock)
          onSheet({ ...sheet, of: recovering.kept.did, recovery })
        }}
      />
    </section>
  )
}
