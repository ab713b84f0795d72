import type { Client } from '@svc/client'
import { Button } from '../shell/button.tsx'
import { dayOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/payments/words.ts'

interface PlanProps {
  readonly client: Client
  readonly change: number
  readonly onChange: () => void
}

type Entitlement = Awaited<ReturnType<Client['entitlement']['current']>>
type Grant = Entitlement['grants'][number]

/** The tier in force, and the grants that it comes from. */
export function Plan({ client, change, onChange }: PlanProps) {
  const task = useTask()
  const setRenewal = async ({ id }: Grant, renews: boolean) => {
    await client.entitlement.setRenewal(id, renews)
    onChange()
    task.say(renews ? words.resumed : words.stopped)
  }
  return (
    <Part title={words.plan} of={String(change)} read={() => client.entitlement.current()}>
      {(entitlement) => (
        <>
          <p>
            <strong>{words.tiers[entitlement.tier]}</strong>
          </p>
          <p>{endText(entitlement)}</p>
          {entitlement.grants.length === 0 ? null : <h3>{words.grants}</h3>}
          <ul class="list">
            {entitlement.grants.map((grant) => (
              <li key={grant.id}>
                <GrantText {...grant} />
                {grant.source === 'subscription' ? (
                  <Button look="quiet" onPress={() => setRenewal(grant, !grant.renews)}>
                    {grant.renews ? words.stop : words.resume}
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}

function GrantText({ source, tier, periodStart, periodEnd, graceUntil, nextTier, reversed }: Grant) {
  return (
    <div>
      <strong>{words.tiers[tier]}</strong>
      <span class="tag">{words.sources[source]}</span>
      <small>{words.period(dayOf(periodStart), dayOf(periodEnd))}</small>
      {graceUntil === null ? null : <small class="bad">{words.grace(dayOf(graceUntil))}</small>}
      {nextTier === null ? null : <small>{words.nextTier(words.tiers[nextTier])}</small>}
      {reversed === null ? null : <small class="bad">{words.reversed[reversed]}</small>}
    </div>
  )
}

function endText({ until, renews, next }: Entitlement): string {
  if (until === null) return words.free
  return renews ? words.renewsOn(dayOf(until)) : words.until(dayOf(until), words.tiers[next])
}
