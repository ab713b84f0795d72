import type { Verdict } from '@svc/client/evidence'
import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { Emblem } from '../shell/emblem.tsx'
import { words } from '../words/verdict/words.ts'

/** Who, what, since when, and by which log: four fields, in the order in which one leads to the next. */
export function Picture({ verdict: { did, subject, at, checks } }: { readonly verdict: Verdict }) {
  const log = checks.find(({ result, found }) => result === 'ok' && found['log'] !== undefined)?.found['log']
  const time = at === null ? null : momentOf(at)
  return (
    <ol class="picture">
      <Part name={words.who} value={did} otherwise={words.nobody} emblem={did} isExact />
      <Part name={words.what} value={subject} otherwise={words.noSubject} emblem={subject} isExact />
      <Part name={words.when} value={time === null ? null : saidBy(checks)(time)} otherwise={words.noTime} />
      <Part name={words.where} value={log === undefined ? null : String(log)} otherwise={words.noLog} isExact />
    </ol>
  )
}

/** Whose word the time is. */
function saidBy(checks: Verdict['checks']): (time: string) => string {
  const cosigned = checks.find(({ check }) => check === 'cosigned')
  if (cosigned) return cosigned.result === 'ok' ? words.byWitnesses : words.byLogAlone
  const isOfLog = checks.some(
    ({ check, result, found }) => check === 'signatures' || (result === 'ok' && 'log' in found),
  )
  return isOfLog ? words.byLog : words.byClock
}

interface PartProps {
  readonly name: string
  readonly value: string | null
  readonly otherwise: string
  readonly emblem?: string | null
  /** A name or an id, and no sentence. */
  readonly isExact?: boolean
}

function Part({ name, value, otherwise, emblem = null, isExact = false }: PartProps) {
  return (
    <li class={value === null ? 'open' : ''}>
      <span class="name">{name}</span>
      {emblem === null ? null : <Emblem of={emblem} />}
      {value === null || !isExact ? (
        <span class="value">{value ?? otherwise}</span>
      ) : (
        <Exact isPlain class="value">
          {value}
        </Exact>
      )}
    </li>
  )
}
