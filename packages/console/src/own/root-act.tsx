import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { connectAsRoot } from '../keys/connect.ts'
import { openRootKeys } from '../keys/root-keys.ts'
import { Locked } from '../shell/locked.tsx'
import { words } from '../words/own/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
import type { Own } from './own.ts'

interface RootActProps extends Pick<Own, 'core' | 'rootLock'> {
  readonly action: string
  readonly label?: string
  /** The client is for this act, and not kept. */
  readonly onAct: (client: Client) => Promise<void>
}

/** A button for what only the root key can do. It is decrypted for this one act. */
export function RootAct({ core, rootLock, action, label, onAct }: RootActProps) {
  const [isOpen, setOpen] = useState(false)
  if (rootLock === null) return <small>{words.needsRoot}</small>
  if (!isOpen)
    return (
      <button type="button" class="quiet" aria-label={label} onClick={() => setOpen(true)}>
        {action}
      </button>
    )
  return (
    <div class="step">
      <p>{rootLock === 'passphrase' ? words.rootByPassphrase : words.rootByPasskey}</p>
      <Locked
        by={rootLock}
        action={action}
        onLock={async (lock) => {
          await onAct(await connectAsRoot(core, await openRootKeys(lock)))
          setOpen(false)
        }}
      />
      <button type="button" class="plain" onClick={() => setOpen(false)}>
        {shellWords.cancel}
      </button>
    </div>
  )
}
