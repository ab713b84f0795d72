import './usage.css'
import type { Client } from '@svc/client'
import { Bar } from '../shell/bar.tsx'
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
                <Bar used={used} limit={limit} />
                {words.meter(used, limit)}
              </dd>
            </>
          ))}
        </dl>
      )}
    </Part>
  )
}
