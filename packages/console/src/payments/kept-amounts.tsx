import type { Client } from '@svc/client'
import { Bar } from '../shell/bar.tsx'
import { Part } from '../shell/part.tsx'
import { language } from '../words/language.ts'
import { words } from '../words/payments/words.ts'

interface KeptAmountsProps {
  readonly client: Client
  readonly change: number
}

const COUNT = new Intl.NumberFormat(language)
const MEGABYTES = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const megabytesOf = (bytes: number) => MEGABYTES.format(bytes / 1_000_000)

/** What the services keep for the identity, of what its tier allows. */
export function KeptAmounts({ client, change }: KeptAmountsProps) {
  return (
    <Part title={words.kept} of={String(change)} read={() => client.quota.stored()}>
      {(stored) =>
        stored === null ? (
          <p>{words.keptUnknown}</p>
        ) : (
          <dl class="meters">
            <dt>{words.bytes}</dt>
            <dd>
              <Bar {...stored.bytes} />
              {words.megabytes(megabytesOf(stored.bytes.used), megabytesOf(stored.bytes.limit))}
            </dd>
            <dt>{words.rows}</dt>
            <dd>
              <Bar {...stored.rows} />
              {words.count(COUNT.format(stored.rows.used), COUNT.format(stored.rows.limit))}
            </dd>
          </dl>
        )
      }
    </Part>
  )
}
