import type { Client } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { download } from '../content/download.ts'
import { Exact } from '../content/exact.tsx'
import { firstOf } from '../content/first-of.ts'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/anchors/words.ts'

const SHOWN = 50
/** The log takes new anchors within seconds. */
const LOOK_AGAIN_MS = 2_000

interface MyAnchorsProps {
  readonly client: Client
  readonly did: string
  readonly change: number
}

/** The newest anchors of this identity, each with the file that proves it without asking anybody. */
export function MyAnchors({ client, did, change }: MyAnchorsProps) {
  const [looks, setLooks] = useState(0)
  const read = () => firstOf(client.anchors.all({ owner: did }), SHOWN)
  const save = async (anchorId: string, epoch: string) =>
    download(`${epoch}.anchor.json`, await client.anchors.bundle(anchorId))
  return (
    <Part title={words.mine} of={`${change}.${looks}`} read={read}>
      {(anchors) => (
        <>
          {anchors.length === 0 ? <p>{words.none}</p> : null}
          {anchors.some(({ position }) => position === null) ? (
            <LookAgain onTime={() => setLooks((count) => count + 1)} />
          ) : null}
          <ul class="list">
            {anchors.map(({ anchorId, root, epoch, status, createdAt, position }) => (
              <li key={anchorId}>
                <div>
                  <strong>{epoch}</strong>
                  <span class="tag">{position === null ? words.waiting : words.states[status]}</span>
                  <Exact class="id">{root}</Exact>
                  <small>{momentOf(Date.parse(createdAt))}</small>
                </div>
                {position === null ? null : (
                  <div class="actions">
                    <Button look="quiet" label={`${words.save}: ${epoch}`} onPress={() => save(anchorId, epoch)}>
                      {words.save}
                    </Button>
                    <a href={`/verify/#${anchorId}`} aria-label={`${words.check}: ${epoch}`}>
                      {words.check}
                    </a>
                  </div>
                )}
              </li>
            ))}
          </ul>
          {anchors.length === SHOWN ? <p>{words.first(SHOWN)}</p> : null}
        </>
      )}
    </Part>
  )
}

function LookAgain({ onTime }: { readonly onTime: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onTime, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [])
  return null
}
