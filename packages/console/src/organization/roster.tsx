import { type Client, ServiceError } from '@svc/client'
import { statusOf } from '@svc/client/functions'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/organization/words.ts'

interface RosterProps extends Own {
  readonly change: number
  readonly onChange: () => void
}

/** The officers and members of this identity, computed from its verified log; null if it is not an organization. */
export function Roster({ client, device, change, onChange, ...root }: RosterProps) {
  const task = useTask()
  const read = async () => {
    const officers = await officersOf(client, device.did)
    return officers && { officers, members: [...(await client.members.verify()).members.values()] }
  }
  const acts = {
    suspend: (by: Client, did: string) => by.members.suspend(did),
    resume: (by: Client, did: string) => by.members.resume(did),
    revoke: (by: Client, did: string) => by.members.revoke(did),
  }
  const actsFor = (status: ReturnType<typeof statusOf>): (keyof typeof acts)[] =>
    status === 'revoked' || root.rootLock === null
      ? []
      : status === 'suspended'
        ? ['resume', 'revoke']
        : ['suspend', 'revoke']
  return (
    <Part title={words.roster} of={String(change)} read={read}>
      {(organization) =>
        organization === null ? (
          <p>{words.noOrganization}</p>
        ) : (
          <>
            <p>{words.rosterLead(organization.officers.quorum, organization.officers.officers.length)}</p>
            <h3>{words.officers}</h3>
            <ul class="list">
              {organization.officers.officers.map((did) => (
                <li key={did}>
                  <Exact class="id">{did}</Exact>
                </li>
              ))}
            </ul>
            <h3>{words.members}</h3>
            {organization.members.length === 0 ? <p>{words.noMembers}</p> : null}
            {root.rootLock === null ? <p>{words.needsRoot}</p> : null}
            <ul class="list">
              {organization.members.map((member) => {
                const status = statusOf(member, Date.now())
                return (
                  <li key={member.memberDid}>
                    <div>
                      <span class="tag">{words.roles[member.role]}</span>
                      <span class="tag">{words.statuses[status]}</span>
                      <Exact class="id">{member.memberDid}</Exact>
                      <small>{member.provider}</small>
                    </div>
                    <div class="actions">
                      {actsFor(status).map((act) => (
                        <RootAct
                          key={act}
                          {...root}
                          action={words.acts[act]}
                          label={`${words.acts[act]} ${member.memberDid}`}
                          onAct={async (by) => {
                            await acts[act](by, member.memberDid)
                            task.say(words.done)
                            onChange()
                          }}
                        />
                      ))}
                    </div>
                  </li>
                )
              })}
            </ul>
          </>
        )
      }
    </Part>
  )
}

/** Null if the identity is not an organization. */
async function officersOf(client: Client, did: string) {
  try {
    return await client.membership.officers(did)
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  }
}
