import type { Operator } from '@svc/client/operator'
import { Exact } from '../content/exact.tsx'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/operator/words.ts'
import { Listed } from './listed.tsx'

export function DeadLetters({ operator }: { readonly operator: Operator }) {
  const task = useTask()
  const decide = async (eventId: string, action: 'replay' | 'dismiss', readAgain: () => Promise<void>) => {
    await operator.decideDeadLetter(eventId, action)
    await readAgain()
    task.say(action === 'replay' ? words.replayed : words.dismissed)
  }
  return (
    <section class="panel">
      <h2>{words.deadLetters}</h2>
      <Listed
        lead={words.deadLettersLead}
        none={words.noDeadLetters}
        label={words.deadLetters}
        read={() => operator.deadLetters()}
      >
        {({ eventId, type, reason, attempts, receivedAt }, readAgain) => (
          <li key={eventId}>
            <div>
              <strong>{type}</strong>
              <Exact>{eventId}</Exact>
              <p>{reason}</p>
              <small>{words.attempts(attempts, momentOf(receivedAt))}</small>
            </div>
            <div class="actions">
              <Button
                look="quiet"
                label={`${words.replay}: ${eventId}`}
                onPress={() => decide(eventId, 'replay', readAgain)}
              >
                {words.replay}
              </Button>
              <Confirmed
                action={words.dismiss}
                label={`${words.dismiss}: ${eventId}`}
                title={words.dismissTitle}
                look="quiet"
                onConfirm={() => decide(eventId, 'dismiss', readAgain)}
              >
                <p>{words.dismissText}</p>
              </Confirmed>
            </div>
          </li>
        )}
      </Listed>
    </section>
  )
}
