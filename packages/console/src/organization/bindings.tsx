import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { firstOf } from '../content/first-of.ts'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/organization/words.ts'

const SHOWN = 100

/** The organizations that have bound this identity. */
export function Bindings({ client }: { readonly client: Client }) {
  return (
    <Part title={words.mine} of="bindings" read={() => firstOf(client.membership.allBindings(), SHOWN)}>
      {(bindings) => (
        <>
          {bindings.length === 0 ? <p>{words.noBindings}</p> : null}
          <ul class="list">
            {bindings.map(({ orgDid, provider, role, status, permissions, expiresAt }) => (
              <li key={orgDid}>
                <div>
                  <strong>{provider}</strong>
                  <span class="tag">{words.roles[role]}</span>
                  <span class="tag">{words.statuses[status]}</span>
                  <Exact class="id">{orgDid}</Exact>
                  <small>{permissions.join(', ')}</small>
                  {expiresAt === null ? null : <small>{words.expires(momentOf(expiresAt))}</small>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}
