import { importOperatorKey, type OperatorKey } from '@svc/client/operator'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { jsonIn } from '../files/given-file.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { words } from '../words/operator/words.ts'

/** Opens the export of the key. Neither the file nor the passphrase outlives this form. */
export function KeyForm({ onKey }: { readonly onKey: (key: OperatorKey) => Promise<void> }) {
  const [file, setFile] = useState<File | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const open = async () => {
    if (file === null) throw new SaidError(words.noFile)
    await onKey(await keyIn(file, passphrase))
  }
  return (
    <section class="panel">
      <h2>{words.keyTitle}</h2>
      <p>{words.keyLead}</p>
      <Form onSend={open}>
        <FileField label={words.keyFile} hint={words.keyFileHint} accept=".json" onFile={setFile} />
        <Field label={words.passphrase} isSecret value={passphrase} onValue={setPassphrase} maxLength={1024} />
        <Button>{words.open}</Button>
      </Form>
    </section>
  )
}

async function keyIn(file: File, passphrase: string): Promise<OperatorKey> {
  try {
    return await importOperatorKey(await jsonIn(file), passphrase)
  } catch {
    throw new SaidError(words.wrongKey)
  }
}
