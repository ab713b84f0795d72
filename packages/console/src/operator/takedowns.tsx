import type { Operator, OperatorTakedown, TakedownSubject } from '@svc/client/operator'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/operator/words.ts'
import { Listed } from './listed.tsx'
import { signedByOperator } from './refused.ts'
import { Select } from './select.tsx'

type Kind = TakedownSubject['kind']
type Reason = keyof typeof words.takedownReasons

export function Takedowns({ operator }: { readonly operator: Operator }) {
  const task = useTask()
  const [kind, setKind] = useState<Kind>('capsule')
  const [id, setId] = useState('')
  const [reason, setReason] = useState<Reason>('legal')
  const takeDown = async () => {
    if (id.trim() === '') throw new SaidError(words.noId)
    await signedByOperator(operator.takeDown({ kind, id: id.trim() }, reason))
    setId('')
    task.say(words.takenDown)
  }
  return (
    <section class="panel">
      <h2>{words.takedowns}</h2>
      <p>{words.takedownsLead}</p>
      <div class="terms">
        <Select label={words.kind} options={words.kinds} value={kind} onValue={setKind} />
        <Select label={words.reason} options={words.takedownReasons} value={reason} onValue={setReason} />
      </div>
      <Field label={words.id} value={id} onValue={setId} maxLength={1024} />
      <Confirmed action={words.takeDown} title={words.takeDownTitle} onConfirm={takeDown}>
        <p>{words.takeDownText(id)}</p>
      </Confirmed>
      <Listed
        lead={words.takenDownLead}
        none={words.noTakedowns}
        label={words.takedowns}
        read={() => allTakedowns(operator)}
      >
        {({ subject, reason: why, doneAt, nonce }) => (
          <li key={nonce}>
            <div>
              <strong>{words.kinds[subject.kind]}</strong>
              <span class="tag">{words.takedownReasons[why]}</span>
              <Exact>{subject.id}</Exact>
              <small>{doneAt === null ? words.interrupted : words.done(momentOf(doneAt))}</small>
            </div>
          </li>
        )}
      </Listed>
    </section>
  )
}

async function* allTakedowns(operator: Operator): AsyncGenerator<OperatorTakedown> {
  yield* operator.takedowns('core')
  yield* operator.takedowns('provenance')
}
