import { CopyButton } from '../content/copy-button.tsx'
import { words } from '../words/explorer/words.ts'
import type { Answer } from './answer.ts'
import { decoded, type Prepared } from './request.ts'
import { codeOf, curlOf } from './shown-as.ts'

interface AnsweredProps {
  /** Without secrets. */
  readonly prepared: Prepared
  /** Null before it is there, and if the browser may not read it. */
  readonly answer: Answer | null
  /** What it is signed for; null for nobody. */
  readonly audience: string | null
  readonly core: string
}

/** The answer, and what was sent for it. */
export function Answered({ prepared, answer, audience, core }: AnsweredProps) {
  const [curl, code] = [curlOf(prepared, audience), codeOf(prepared, audience, core)]
  return (
    <>
      {answer === null ? null : <Received {...answer} />}
      <section class="panel">
        <h2>{words.curl}</h2>
        {audience === null ? null : <p>{words.curlLead}</p>}
        <Shown name={words.curl} text={curl} rows={6} />
        <CopyButton title={words.curl} text={curl} />
        <h2>{words.code}</h2>
        <Shown name={words.code} text={code} rows={12} />
        <CopyButton title={words.code} text={code} />
      </section>
    </>
  )
}

function Received({ status, statusText, tookMs, headers, body, assertion }: Answer) {
  return (
    <>
      <section class="panel">
        <div role="status">
          <h2>{words.answer(status, statusText)}</h2>
          <p class="soft">{words.took(tookMs)}</p>
        </div>
        <Shown name={words.answer(status, statusText)} text={body} rows={14} />
        <details>
          <summary>{words.headers}</summary>
          <Shown name={words.headers} text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} rows={6} />
        </details>
      </section>
      <section class="panel">
        <h2>{words.assertion}</h2>
        {assertion === null ? (
          <p>{words.noAssertion}</p>
        ) : (
          <Shown name={words.assertion} text={JSON.stringify(shortened(decoded(assertion)), null, 2)} rows={14} />
        )}
      </section>
    </>
  )
}

/** Text that can be scrolled and selected by keyboard. */
function Shown({ name, text, rows }: { readonly name: string; readonly text: string; readonly rows: number }) {
  return <textarea readOnly aria-label={name} rows={rows} value={text} />
}

/** Public keys take 2,603 characters, and say nothing to a person. */
const MAX_SHOWN = 120

function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const short = (one: unknown) =>
    typeof one === 'string' && one.length > MAX_SHOWN ? `${one.slice(0, 24)}… (${one.length})` : one
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, short(one)]))
}
