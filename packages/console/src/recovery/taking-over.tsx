import type { KeptRecovery } from '@svc/client'
import type { SheetRecord } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import type { LockedBy } from '../keys/lock.ts'
import type { RootKeys } from '../keys/root-keys.ts'
import { type KnownSheets, recordsOf } from '../sheets/known-sheets.ts'
import { MakeSheets } from '../sheets/make-sheets.tsx'
import { Locked } from '../shell/locked.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { Protection } from '../start/protection.tsx'
import { words } from '../words/recovery/words.ts'
import { OtherSheet } from './other-sheet.tsx'
import { formerHere, type Recovering, sheetsAfter, takeOver } from './take-over.ts'

interface TakingOverProps {
  readonly core: string
  readonly recovering: Recovering
  /** Of the rotation that made the new key the root key. */
  readonly rotationId: string | null
  /** What opens the root key that this browser has from before; null if it has none. */
  readonly rootLock: LockedBy | null
  /** The sheets that may follow the new key. */
  readonly known: KnownSheets
  readonly onRecovery: (recovery: KeptRecovery) => void
}

/** The last step asks what to do with the old root key, which sheets may follow, and how to encrypt the new key. */
export function TakingOver({ core, recovering, rotationId, rootLock, known, onRecovery }: TakingOverProps) {
  const task = useTask()
  /** The keys that go on opening what is older; null until that is decided. */
  const [former, setFormer] = useState<RootKeys['former'] | null>(rootLock === null ? [] : null)
  /** Null until the sheets are known. */
  const [sheets, setSheets] = useState<readonly SheetRecord[] | null>(
    known.isCommitted && known.missing === 0 ? known.records : null,
  )
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
  if (sheets === null && !known.isCommitted)
    return <MakeSheets onMade={async (made) => setSheets(await recordsOf(recovering.successor, made))} />
  if (sheets === null)
    return (
      <OtherSheet
        known={known}
        knownWith={(others) => sheetsAfter(core, recovering, others)}
        onRecords={async (records) => setSheets(records)}
      />
    )
  return (
    <section class="card">
      <Heading>{words.doneTitle}</Heading>
      <p>{words.doneText}</p>
      <Protection
        name={words.passkeyName}
        onLock={async (lock) =>
          onRecovery(await takeOver(core, { ...recovering, ...known, rotationId, former: former ?? [], sheets }, lock))
        }
      />
    </section>
  )
}
