import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { firstOf } from '../content/first-of.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/consent/words.ts'
import { declaredText } from './text.ts'

const SHOWN = 20

interface MineProps {
  readonly client: Client
  readonly did: string
  readonly change: number
  readonly onOpen: (identifier: string) => void
}

/** What this identity has declared, each to be opened. */
export function Mine({ client, did, change, onOpen }: MineProps) {
  return (
    <Part title={words.mine} of={String(change)} read={() => firstOf(client.consent.byCreator(did), SHOWN)}>
      {(records) => (
        <>
          {records.length === 0 ? <p>{words.noneMine}</p> : null}
          <ul class="list">
            {records.map(({ hash, preferences }) => (
              <li key={hash}>
                <div>
                  <Exact>{hash}</Exact>
                  <small>{declaredText(preferences)}</small>
                </div>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`${words.open} ${hash}`}
                  onClick={() => {
                    onOpen(hash)
                    scrollTo({ top: 0 })
                  }}
                >
                  {words.open}
                </button>
              </li>
            ))}
          </ul>
          {records.length === SHOWN ? <p>{words.first(SHOWN)}</p> : null}
        </>
      )}
    </Part>
  )
}
