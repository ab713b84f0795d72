import type { SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/account/words.ts'

type Listed = Awaited<ReturnType<SignInSession['sessions']>>[number]

/** Read when they are asked for: every request counts against the limit of the address. */
export function Sessions({ session }: { readonly session: SignInSession }) {
  const task = useTask()
  const [sessions, setSessions] = useState<readonly Listed[] | null>(null)
  const read = async () => setSessions(await session.sessions())
  const end = async (sessionId: string) => {
    await session.endSession(sessionId)
    await read()
    task.say(words.ended)
  }
  const endOthers = async () => {
    await session.endOtherSessions()
    await read()
    task.say(words.endedOthers)
  }
  return (
    <section>
      <h2>{words.sessions}</h2>
      <p>{words.sessionsLead}</p>
      {sessions === null ? (
        <Button look="plain" onPress={read}>
          {words.showSessions}
        </Button>
      ) : (
        <>
          <ul class="list">
            {sessions.map(({ sessionId, method, createdAt, isCurrent }) => (
              <li key={sessionId}>
                <div>
                  <strong>{isCurrent ? words.thisPage : words.sessionBy[method]}</strong>
                  <small>{words.since(momentOf(createdAt))}</small>
                </div>
                {isCurrent ? null : (
                  <Button look="quiet" label={words.endSince(momentOf(createdAt))} onPress={() => end(sessionId)}>
                    {words.end}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {sessions.length > 1 ? (
            <Button look="plain" onPress={endOthers}>
              {words.endOthers}
            </Button>
          ) : null}
        </>
      )}
    </section>
  )
}
