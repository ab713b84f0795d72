import { detectFile } from '@svc/client/evidence'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isChunkGone } from '../failures/chunk.ts'
import { Reload } from '../failures/reload.tsx'
import { sentenceOf } from '../failures/sentences.ts'
import { words as formWords } from '../words/verify/words.ts'
import { Later } from './later.tsx'
import { Verdict } from './verdict.tsx'
import type { CheckedProps } from './verify-page.tsx'
import { type Outcome, verifyHere } from './verifying.ts'

/** An outcome, or why there is none. */
type Ended = Outcome | { readonly failed: unknown }

const Locked = Later(() => import('./locked-export.tsx').then(({ LockedExport }) => LockedExport))

/** Checks an input, again whenever it or a setting changes. */
export function Checked({ configuration, input, settings, onSettings }: CheckedProps) {
  /** Counted, so that each is shown anew: a page translator leaves what it has translated as it was. */
  const [outcome, setOutcome] = useState<{ readonly of: typeof input; readonly at: number; readonly is: Ended } | null>(
    null,
  )
  const heading = useRef<HTMLHeadingElement>(null)
  const isLocked = settings.passphrase === '' && detectFile(input.bytes).kind === 'export'
  const { expectedDid, content, logKeyB64u, isOffline, mayAskFor } = settings

  useEffect(() => {
    if (isLocked) return
    let isWanted = true
    const end = (is: Ended) => {
      if (isWanted) setOutcome((last) => ({ of: input, at: (last?.at ?? 0) + 1, is }))
    }
    verifyHere(input, settings, configuration).then(end, (error: unknown) => end({ failed: error }))
    return () => {
      isWanted = false
    }
  }, [input, isLocked, expectedDid, content, logKeyB64u, isOffline, mayAskFor, settings.passphrase])
  useEffect(() => heading.current?.focus(), [outcome])

  if (isLocked) return <Locked onPassphrase={(passphrase) => onSettings({ ...settings, passphrase })} />
  if (outcome?.of !== input) return <p role="status">{formWords.checking}</p>
  if ('failed' in outcome.is)
    return (
      <div key={outcome.at} class="note" role="alert">
        <p>{sentenceOf(outcome.is.failed)}</p>
        {isChunkGone(outcome.is.failed) ? <Reload /> : null}
      </div>
    )
  return (
    <Verdict
      key={outcome.at}
      heading={heading}
      outcome={outcome.is}
      input={input}
      settings={settings}
      core={configuration.services.core}
      onAsk={() => onSettings({ ...settings, mayAskFor: true })}
    />
  )
}
