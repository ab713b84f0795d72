import type { Client } from '@svc/client'
import { dayOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/log/words.ts'

/** The signed list of the logs. */
export function AllLogs({ client }: { readonly client: Promise<Client> }) {
  const read = async () => (await (await client).anchors.logs()).list()
  return (
    <Part title={words.list} of="list" read={read}>
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
