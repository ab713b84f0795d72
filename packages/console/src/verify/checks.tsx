import type { Check } from '@svc/client/evidence'
import { momentOf } from '../shell/dates.ts'
import { words } from '../words/verdict/words.ts'

export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const open = checks.filter(({ result }) => result === 'unchecked')
  return (
    <div class="checks">
      <section>
        <h3>{words.checks}</h3>
        <ul>
          {checks
            .filter(({ result }) => result === 'ok')
            .map((check) => (
              <li key={JSON.stringify(check)}>{sentence(check)}</li>
            ))}
        </ul>
      </section>
      <section class="open">
        <h3>{words.notProved}</h3>
        {open.length === 0 ? <p>{words.allProved}</p> : null}
        <ul>
          {open.map((check) => (
            <li key={JSON.stringify(check)}>{sentence(check)}</li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function sentence({ check, result, found }: Check): string {
  const at = found['at']
  return words.said(check, result === 'ok', found, at === undefined ? '' : momentOf(Number(at)))
}
