import type { ConsentTimeline } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { words } from '../words/consent/words.ts'
import { declaredText } from './text.ts'

type Act = ConsentTimeline['acts'][number]

/** Every act on the record, newest first, and the claims of others. The SDK has verified all signatures. */
export function History({ history }: { readonly history: ConsentTimeline | null }) {
  if (history === null)
    return (
      <section class="panel">
        <h2>{words.history}</h2>
        <p>{words.noHistory}</p>
      </section>
    )
  const { acts, claims } = history
  return (
    <section class="panel">
      <h2>{words.history}</h2>
      <ol class="list">
        {acts.toReversed().map((act) => (
          <li key={act.version}>
            <div>
              <strong>{words.action[act.action]}</strong>
              <small>{momentOf(act.recorded_at)}</small>
              {'preferences' in act && act.preferences ? <p class="said">{declaredText(act.preferences)}</p> : null}
              <small>{signerText(act)}</small>
            </div>
          </li>
        ))}
      </ol>
      {claims.length === 0 ? null : <h3>{words.claims}</h3>}
      <ul class="list">
        {claims.map(({ creator_did: claimant, preferences, recorded_at: at, settled_at: settledAt }) => (
          <li key={claimant}>
            <div>
              <Exact>{claimant}</Exact>
              <p class="said">{declaredText(preferences)}</p>
              <small>{words.claimBy(momentOf(at))}</small>
              {settledAt === null ? null : <small>{words.settled(momentOf(settledAt))}</small>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function signerText({ signer }: Act): string {
  switch (signer.kind) {
    case 'root':
      return words.byRoot
    case 'device':
      return words.byDevice
    case 'operator':
      return words.byOperator
  }
}
