import { numberOf, shareOf } from '../shell/numbers.ts'
import { words } from '../words/operator/words.ts'
import { BurnChart } from './burn-chart.tsx'
import type { Burn } from './slo-report.ts'

interface BurnsProps {
  readonly burns: readonly Burn[]
}

/** How each objective was met, and a chart of each that had something bad. Those without a request are left out. */
export function Burns({ burns }: BurnsProps) {
  const asked = burns.filter(({ requests }) => requests > 0)
  if (asked.length === 0) return <p>{words.noRequests}</p>
  return (
    <>
      <h3>{words.burns}</h3>
      <p>{words.burnsLead}</p>
      <ul class="list">
        {asked.map((burn) => (
          <li key={`${burn.title} ${burn.share}`}>
            <div>
              <strong>{burn.title}</strong>
              <span class={burn.rate > 1 ? 'tag bad' : 'tag'}>
                {burn.share === 'availability' ? words.shares.availability : words.within(burn.p99Ms)}
              </span>
              <p>
                {words.met(shareOf(1 - burn.bad / burn.requests), shareOf(burn.target))}{' '}
                {words.counts(burn.bad, burn.requests, numberOf(burn.rate))}
              </p>
            </div>
            <BurnChart {...burn} />
          </li>
        ))}
      </ul>
    </>
  )
}
