import type { Operator, ServiceHealth } from '@svc/client/operator'
import { Part } from '../shell/part.tsx'
import { words } from '../words/operator/words.ts'

/** Null for a service that does not answer. */
type Answered = Omit<ServiceHealth, 'service'> | null

/** What each service says about itself, and what waits there. */
export function Health({ operator }: { readonly operator: Operator }) {
  const read = () =>
    Promise.all(
      operator.services.map(async (service) => [service, await operator.health(service).catch(() => null)] as const),
    )
  return (
    <Part title={words.health} of="health" read={read}>
      {(services) => (
        <>
          <p>{words.healthLead}</p>
          <ul class="list">
            {services.map(([service, answered]) => (
              <li key={service}>
                <div>
                  <strong>{service}</strong>
                  <Told answered={answered} />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}

function Told({ answered }: { readonly answered: Answered }) {
  if (answered === null) return <small class="bad">{words.down}</small>
  const { version, cryptography, queues } = answered
  return (
    <>
      <small>{version === null ? words.noVersion : words.version(version)}</small>
      {cryptography === 'noble' ? <small class="bad">{words.slow}</small> : null}
      {Object.entries(queues ?? {}).map(([name, { depth, oldestAgeSeconds }]) => (
        <small key={name}>{words.queue(name, depth, words.ages(Math.floor(oldestAgeSeconds / 60)))}</small>
      ))}
    </>
  )
}
