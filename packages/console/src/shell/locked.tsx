import { useState } from 'preact/hooks'
import { type Lock, type LockedBy, openPasskeyLock } from '../keys/lock.ts'
import { words } from '../words/start/words.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Form } from './form.tsx'

interface LockedProps {
  readonly by: LockedBy
  readonly action: string
  readonly onLock: (lock: Lock) => Promise<void>
}

/** Asks for what opens keys: the passkey, or the passphrase. */
export function Locked({ by, action, onLock }: LockedProps) {
  const [passphrase, setPassphrase] = useState('')
  if (by !== 'passphrase') return <Button onPress={async () => onLock(await openPasskeyLock(by))}>{action}</Button>
  return (
    <Form onSend={() => onLock(passphrase)}>
      <Field
        label={words.passphrase}
        isSecret
        value={passphrase}
        onValue={setPassphrase}
        autocomplete="current-password"
        maxLength={1024}
      />
      <Button>{action}</Button>
    </Form>
  )
}
