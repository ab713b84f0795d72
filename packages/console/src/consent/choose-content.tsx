import { hashOf } from '@svc/client/functions'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/consent/words.ts'

/** As the service takes them. */
const IDENTIFIER = /^[^\0\p{Cs}]{16,256}$/u

/** Names a content: by its address, or by a file, which stays here. */
export function ChooseContent({ onChosen }: { readonly onChosen: (identifier: string) => void }) {
  const task = useTask()
  const [typed, setTyped] = useState('')
  const open = async () => {
    const identifier = typed.trim()
    if (!IDENTIFIER.test(identifier)) throw new SaidError(words.wrongIdentifier)
    onChosen(identifier)
  }
  const take = (file: File) =>
    task.run(async () => {
      const identifier = `sha3-384:${await hashOf(new Uint8Array(await file.arrayBuffer()))}`
      setTyped(identifier)
      onChosen(identifier)
    })
  return (
    <section class="panel">
      <h2>{words.which}</h2>
      <Form onSend={open}>
        <Field label={words.identifier} hint={words.identifierHint} value={typed} onValue={setTyped} maxLength={512} />
        <FileField label={words.file} hint={words.fileHint} onFile={(file) => void (file && take(file))} />
        <Button>{words.open}</Button>
      </Form>
    </section>
  )
}
