import type { Check } from '@svc/client/evidence'
import { words } from '../words/verdict/words.ts'

interface ChecksProps {
  readonly checks: readonly Check[]
  /** One for each check. */
  readonly sentences: readonly string[]
}

export function Checks({ checks, sentences }: ChecksProps) {
  const said = (wanted: Check['result']) => sentences.filter((_, at) => checks[at]?.result === wanted)
  const open = said('unchecked')
  return (
    <div class="checks">
      <section>
        <h3>{words.checks}</h3>
        <ul>
          {said('ok').map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
      <section class="open">
        <h3>{words.notProved}</h3>
        {open.length === 0 ? <p>{words.allProved}</p> : null}
        <ul>
          {open.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
    </div>
  )
}
