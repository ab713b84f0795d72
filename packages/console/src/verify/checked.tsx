import { detectFile } from '@svc/client/evidence'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Field } from '../shell/field.tsx'
import { words as verifyWords } from '../words/verify/words.ts'
import { Verdict } from './verdict.tsx'
import type { CheckedProps } from './verify-page.tsx'
import { type Outcome, verifyHere } from './verifying.ts'

/** Checks an input, again whenever it or a setting changes. */
export function Checked({ configuration, input, settings, onSettings }: CheckedProps) {
  const [outcome, setOutcome] = useState<{ readonly of: typeof input; readonly is: Outcome } | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  const isLocked = settings.passphrase === '' && detectFile(input.bytes).kind === 'export'
  const { expectedDid, content, logKeyB64u, isOffline } = settings

  useEffect(() => {
    if (isLocked) return
    let isWanted = true
    void verifyHere(input, settings, configuration).then((is) => {
      if (isWanted) setOutcome({ of: input, is })
    })
    return () => {
      isWanted = false
    }
  }, [input, isLocked, expectedDid, content, logKeyB64u, isOffline, settings.passphrase])
  useEffect(() => heading.current?.focus(), [outcome])

  if (isLocked)
    return (
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          onSettings({ ...settings, passphrase })
        }}
      >
        <p>{verifyWords.exportLead}</p>
        <Field label={verifyWords.passphrase} isSecret value={passphrase} onValue={setPassphrase} maxLength={1024} />
        <button type="submit">{verifyWords.open}</button>
      </form>
    )
  if (outcome?.of !== input) return <p role="status">{verifyWords.checking}</p>
  return (
    <Verdict
      heading={heading}
      outcome={outcome.is}
      input={input}
      settings={settings}
      core={configuration.services.core}
    />
  )
}
