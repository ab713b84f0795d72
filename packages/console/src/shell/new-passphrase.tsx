import { type Secret, secretOf } from '@svc/client/text'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { MIN_PASSPHRASE } from '../keys/lock.ts'
import { words } from '../words/start/words.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Form } from './form.tsx'

interface NewPassphraseProps {
  readonly label: string
  readonly action: string
  readonly look?: 'main' | 'plain'
  readonly onChosen: (passphrase: Secret) => Promise<void>
}

/** Asks for a passphrase twice. */
export function NewPassphrase({ label, action, look = 'main', onChosen }: NewPassphraseProps) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const send = async () => {
    const secret = secretOf(passphrase)
    if (secret.length < MIN_PASSPHRASE) throw new SaidError(words.passphraseShort(MIN_PASSPHRASE))
    if (secret !== secretOf(again)) throw new SaidError(words.passphraseDiffers)
    await onChosen(secret)
  }
  return (
    <Form onSend={send}>
      <Field
        label={label}
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
      <Button look={look}>{action}</Button>
    </Form>
  )
}
