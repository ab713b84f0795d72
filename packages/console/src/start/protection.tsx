import { useState } from 'preact/hooks'
import { type Lock, MIN_PASSPHRASE, newPasskeyLock } from '../keys/lock.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../shell/sentences.ts'
import { words } from '../words/start/words.ts'

interface ProtectionProps {
  readonly name: string
  readonly onLock: (lock: Lock) => Promise<void>
}

/** Chooses what keys are encrypted with from now on. */
export function Protection({ name, onLock }: ProtectionProps) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const send = () => {
    if (passphrase.length < MIN_PASSPHRASE) throw new SaidError(words.passphraseShort(MIN_PASSPHRASE))
    if (passphrase !== again) throw new SaidError(words.passphraseDiffers)
    return onLock(passphrase)
  }
  return (
    <>
      <Button onPress={async () => onLock(await newPasskeyLock(name))}>{words.withPasskey}</Button>
      <p class="soft">{words.or}</p>
      <Form onSend={async () => send()}>
        <Field
          label={words.passphrase}
          hint={words.passphraseHint(MIN_PASSPHRASE)}
          isSecret
          value={passphrase}
          onValue={setPassphrase}
          autocomplete="new-password"
          maxLength={1024}
        />
        <Field
          label={words.passphraseAgain}
          isSecret
          value={again}
          onValue={setAgain}
          autocomplete="new-password"
          maxLength={1024}
        />
        <Button look="plain">{words.withPassphrase}</Button>
      </Form>
    </>
  )
}
