import { useState } from 'preact/hooks'
import { Field } from '../shell/field.tsx'
import { words } from '../words/verdict/words.ts'

/** Asks for the passphrase of an export of keys. */
export function LockedExport({ onPassphrase }: { readonly onPassphrase: (passphrase: string) => void }) {
  const [passphrase, setPassphrase] = useState('')
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        onPassphrase(passphrase)
      }}
    >
      <p>{words.locked.lead}</p>
      <Field label={words.locked.passphrase} isSecret value={passphrase} onValue={setPassphrase} maxLength={1024} />
      <button type="submit">{words.locked.open}</button>
    </form>
  )
}
