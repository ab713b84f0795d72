import './verdict.css'
import type { RefObject } from 'preact'
import { words } from '../words/verdict/words.ts'
import { Actions } from './actions.tsx'
import { Checks } from './checks.tsx'
import { headlineOf } from './headline.ts'
import type { Input, Settings } from './input.ts'
import { Later } from './later.tsx'
import { Picture } from './picture.tsx'
import { isSearchable } from './searchable.ts'
import { isUnasked, type Outcome } from './verifying.ts'

interface VerdictProps {
  /** Takes the focus, so that it is read out. */
  readonly heading: RefObject<HTMLHeadingElement | null>
  readonly outcome: Outcome
  readonly input: Input
  readonly settings: Settings
  readonly core: string
  readonly onAsk: () => void
}

/** Loaded for files that are not evidence themselves. */
const Ask = Later(() => import('./ask-records.tsx').then(({ AskRecords }) => AskRecords))
/** Loaded for what can have copies. */
const Similar = Later(() => import('./similar-content.tsx').then(({ SimilarContent }) => SimilarContent))

const MARKS = { valid: '✓', undecided: '?', unknown: '?', invalid: '✕', failed: '!' } as const

export function Verdict({ heading, outcome, input, settings, core, onAsk }: VerdictProps) {
  const state = stateOf(outcome)
  const { kind, verdict } = outcome
  return (
    <article class={`verdict ${state}`}>
      <header>
        <span class="mark" aria-hidden="true">
          {MARKS[state]}
        </span>
        <div>
          <h2 ref={heading} tabIndex={-1}>
            {headlineOf(state, kind, verdict?.needs ?? null)}
          </h2>
          <p>{words.summaries[state]}</p>
        </div>
      </header>
      {verdict === null ? <FaultText outcome={outcome} /> : <Picture verdict={verdict} />}
      {outcome.verdict === null ? null : <Checks checks={outcome.verdict.checks} sentences={outcome.sentences} />}
      {outcome.verdict === null || outcome.fingerprint === null ? null : (
        <p class="soft">{words.fingerprint(outcome.fingerprint)}</p>
      )}
      {isUnasked(kind, settings) && !settings.isOffline ? (
        <Ask onAsk={onAsk} />
      ) : verdict?.needs == null ? null : (
        <p class="note">{words.needs[verdict.needs]}</p>
      )}
      {kind === 'content' && isSearchable(input) ? <Similar input={input} core={core} /> : null}
      <Actions kind={kind} did={verdict?.did ?? null} input={input} settings={settings} />
    </article>
  )
}

function FaultText({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.verdict !== null) return null
  const { kind, fault } = outcome
  if (fault.is === 'malformed') return <p>{words.malformed(words.kinds[kind])}</p>
  return (
    <>
      <p>{fault.message}</p>
      {fault.is === 'invalid' ? <p class="soft">{words.reason(fault.reason, fault.subject)}</p> : null}
    </>
  )
}

function stateOf(outcome: Outcome): keyof typeof MARKS {
  if (outcome.verdict !== null) return outcome.verdict.verdict
  return outcome.fault.is === 'failed' ? 'failed' : 'invalid'
}
