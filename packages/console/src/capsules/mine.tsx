import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/capsules/words.ts'
import { forget, type Kept, keptOf } from './kept.ts'
import { VerifyLink } from './verify-link.tsx'

interface MineProps {
  readonly client: Client
  readonly did: string
  readonly change: number
  readonly onChange: () => void
}

export function Mine({ client, did, change, onChange }: MineProps) {
  const task = useTask()
  const remove = async ({ kind, id }: Kept) => {
    await (kind === 'text' ? client.provenance.deleteText(id) : client.provenance.deleteCapsule(id))
    await forget(did, id)
    onChange()
    task.say(words.removed)
  }
  return (
    <Part title={words.mine} of={String(change)} read={() => keptOf(did)}>
      {(all) => (
        <>
          <p>{words.mineLead}</p>
          {all.length === 0 ? <p>{words.noneMine}</p> : null}
          <ul class="list">
            {all.map((kept) => (
              <li key={kept.id}>
                <div>
                  <strong>{kept.name}</strong>
                  <small>{momentOf(kept.at)}</small>
                  <Exact>{kept.id}</Exact>
                </div>
                <div class="actions">
                  <VerifyLink id={kept.id} name={kept.name} />
                  <Confirmed
                    action={words.remove}
                    label={`${words.remove}: ${kept.name}`}
                    title={words.removeTitle}
                    look="quiet"
                    onConfirm={() => remove(kept)}
                  >
                    <p>{words.removeText}</p>
                  </Confirmed>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}
