import { type Lock, newPasskeyLock } from '../keys/lock.ts'
import { Button } from '../shell/button.tsx'
import { NewPassphrase } from '../shell/new-passphrase.tsx'
import { words } from '../words/start/words.ts'

interface ProtectionProps {
  readonly name: string
  readonly onLock: (lock: Lock) => Promise<void>
}

/** Chooses what keys are encrypted with from now on. */
export function Protection({ name, onLock }: ProtectionProps) {
  return (
    <>
      <Button onPress={async () => onLock(await newPasskeyLock(name))}>{words.withPasskey}</Button>
      <p class="soft">{words.or}</p>
      <NewPassphrase label={words.passphrase} action={words.withPassphrase} look="plain" onChosen={onLock} />
    </>
  )
}
