import type { PublicReader } from '../services/public-reader.ts'
import { dayOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/log/words.ts'

/** The signed list of the logs. */
export function AllLogs({ reader }: { readonly reader: PublicReader }) {
  return (
    <Part title={words.list} of="list" read={() => reader.ask({ of: 'logs' })}>
      {({ logs }) => (
        <>
          <p>{words.listLead}</p>
          <ul class="list">
            {logs.map(({ log, series, state, openedAt, final }) => (
              <li key={log}>
                <div>
                  <strong>{log}</strong>
                  <small>
                    {words.series[series]} · {words.opened} {dayOf(openedAt)}
                    {final === null ? null : ` · ${words.size}: ${final.statement.size}`}
                  </small>
                </div>
                <span class="tag">{words.states[state]}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}
