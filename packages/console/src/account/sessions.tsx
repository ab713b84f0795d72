import type { SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'

type Listed = Awaited<ReturnType<SignInSession['sessions']>>[number]

/** Read when they are asked for: every request counts against the limit of the address. */
export function Sessions({ session }: { readonly session: SignInSession }) {
  const task = useTask()
  const [sessions, setSessions] = useState<readonly Listed[] | null>(null)
  const read = async () => setSessions(await session.sessions())
  const end = async (sessionId: string) => {
    await session.endSession(sessionId)
    await read()
    task.say('The session was ended.')
  }
  const endOthers = async () => {
    await session.endOtherSessions()
    await read()
    task.say('You are signed out everywhere else.')
  }
  return (
    <section>
      <h2>Sessions</h2>
      <p>Where you are signed in to this account. A session ends by itself after 15 minutes.</p>
      {sessions === null ? (
        <Button look="plain" onPress={read}>
          Show sessions
        </Button>
      ) : (
        <>
          <ul class="list">
            {sessions.map(({ sessionId, method, createdAt, isCurrent }) => (
              <li key={sessionId}>
                <div>
                  <strong>{isCurrent ? 'This page' : `Signed in with a ${method}`}</strong>
                  <small>Since {momentOf(createdAt)}</small>
                </div>
                {isCurrent ? null : (
                  <Button
                    look="quiet"
                    label={`End the session since ${momentOf(createdAt)}`}
                    onPress={() => end(sessionId)}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {sessions.length > 1 ? (
            <Button look="plain" onPress={endOthers}>
              End all other sessions
            </Button>
          ) : null}
        </>
      )}
    </section>
  )
}
