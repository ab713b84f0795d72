import type { Dispute, Operator } from '@svc/client/operator'
import { useState } from 'preact/hooks'
import { declaredText } from '../consent/text.ts'
import { Exact } from '../content/exact.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/operator/words.ts'
import { Listed } from './listed.tsx'
import { Select } from './select.tsx'

type Reason = keyof typeof words.settlementReasons

export function Disputes({ operator }: { readonly operator: Operator }) {
  return (
    <section class="panel">
      <h2>{words.disputes}</h2>
      <Listed lead={words.disputesLead} none={words.noDisputes} label={words.disputes} read={() => operator.disputes()}>
        {(dispute, readAgain) => (
          <Disputed key={dispute.contentHash} operator={operator} dispute={dispute} onSettled={readAgain} />
        )}
      </Listed>
    </section>
  )
}

interface DisputedProps {
  readonly operator: Operator
  readonly dispute: Dispute
  readonly onSettled: () => Promise<void>
}

function Disputed({ operator, dispute, onSettled }: DisputedProps) {
  const task = useTask()
  const [reason, setReason] = useState<Reason>('authorship')
  const { contentHash, holderDid, preferences, declaredAt, claims } = dispute
  const settle = async (did: string) => {
    await operator.settle(contentHash, did, reason)
    await onSettled()
    task.say(words.settled)
  }
  const sides = [
    { did: holderDid, role: words.holder, declared: preferences, at: declaredAt },
    ...claims.map((claim) => ({
      did: claim.creatorDid,
      role: words.claimant,
      declared: claim.preferences,
      at: claim.recordedAt,
    })),
  ]
  return (
    <li>
      <div>
        <strong>
          <Exact isPlain>{contentHash}</Exact>
        </strong>
        <Select label={words.reason} options={words.settlementReasons} value={reason} onValue={setReason} />
        {sides.map(({ did, role, declared, at }) => (
          <div key={did} class="side">
            <small>
              {role} · {momentOf(at)}
            </small>
            <Exact>{did}</Exact>
            <small>{declared === null ? null : declaredText(declared)}</small>
            <Confirmed
              action={words.settleFor}
              label={`${words.settleFor}: ${did}`}
              title={words.settleTitle}
              look="quiet"
              onConfirm={() => settle(did)}
            >
              <p>{words.settleText(did)}</p>
            </Confirmed>
          </div>
        ))}
      </div>
    </li>
  )
}
