import type { Invite, Operator } from '@svc/client/operator'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/operator/words.ts'
import { Listed } from './listed.tsx'
import { Terms, termsOf, USUAL_TERMS } from './terms.tsx'

export function Invites({ operator }: { readonly operator: Operator }) {
  return (
    <section class="panel">
      <h2>{words.invites}</h2>
      <Listed lead={words.invitesLead} none={words.noInvites} label={words.invites} read={() => operator.invites()}>
        {(invite, readAgain) => <Request key={invite.id} operator={operator} invite={invite} onDecided={readAgain} />}
      </Listed>
    </section>
  )
}

interface RequestProps {
  readonly operator: Operator
  readonly invite: Invite
  readonly onDecided: () => Promise<void>
}

function Request({ operator, invite, onDecided }: RequestProps) {
  const task = useTask()
  const [terms, setTerms] = useState(USUAL_TERMS)
  const { id, state, requestedAt, name, email, reason } = invite
  const decide = async (act: Promise<void>, sentence: string) => {
    await act
    await onDecided()
    task.say(sentence)
  }
  const who = name ?? words.lost
  return (
    <li>
      <div>
        <strong>{who}</strong>
        <span class="tag">{words.inviteStates[state]}</span>
        <small>{email ?? words.lost}</small>
        <small>{words.askedAt(momentOf(requestedAt))}</small>
        <p>{reason ?? words.lost}</p>
      </div>
      {state === 'open' ? <Terms terms={terms} onTerms={setTerms} /> : null}
      <div class="actions">
        {state === 'open' ? (
          <>
            <Button
              look="plain"
              label={`${words.approve}: ${who}`}
              onPress={() => decide(operator.approveInvite(id, termsOf(terms)), words.approved)}
            >
              {words.approve}
            </Button>
            <Confirmed
              action={words.decline}
              label={`${words.decline}: ${who}`}
              title={words.declineTitle}
              look="quiet"
              onConfirm={() => decide(operator.declineInvite(id, { mail: true }), words.declined)}
            >
              <p>{words.declineText}</p>
            </Confirmed>
          </>
        ) : null}
        <Confirmed
          action={words.forget}
          label={`${words.forget}: ${who}`}
          title={words.forgetTitle}
          look="quiet"
          onConfirm={() => decide(operator.forgetInvite(id), words.forgotten)}
        >
          <p>{words.forgetText}</p>
        </Confirmed>
      </div>
    </li>
  )
}
