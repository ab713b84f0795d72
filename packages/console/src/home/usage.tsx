import type { Client } from '@svc/client'
import { Part } from '../shell/part.tsx'
import { words } from '../words/home/words.ts'

/** The meters of this month, as bars. */
export function Usage({ client }: { readonly client: Client }) {
  return (
    <Part title={words.quota} of="quota" read={() => client.quota.meters()}>
      {(meters) => (
        <dl class="meters">
          {meters.map(({ kind, used, limit }) => (
            <>
              <dt key={kind}>{words.meters[kind] ?? kind}</dt>
              <dd>
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="whole" width="100" height="6" rx="3" />
                  <rect class="used" width={limit === 0 ? 0 : Math.min(100, (100 * used) / limit)} height="6" rx="3" />
                </svg>
                {words.meter(used, limit)}
              </dd>
            </>
          ))}
        </dl>
      )}
    </Part>
  )
}
