import type { AnchorStamp, Client } from '@svc/client'
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
  const read = async () => withStamps(client, await firstOf(client.anchors.all({ owner: did }), SHOWN))
  return (
    <Part title={words.mine} of={`${change}.${looks}`} read={read}>
      {(anchors) => (
        <>
          {anchors.length === 0 ? <p>{words.none}</p> : null}
          {anchors.some(({ position }) => position === null) ? (
            <LookAgain onTime={() => setLooks((count) => count + 1)} />
          ) : null}
          <ul class="list">
            {anchors.map(({ anchorId, root, epoch, status, createdAt, position, stamp }) => (
              <li key={anchorId}>
                <div>
                  <strong>{nameOf(epoch, stamp)}</strong>
                  <span class="tag">{position === null ? words.waiting : words.states[status]}</span>
                  <Exact class="id">{root}</Exact>
                  <small>{momentOf(Date.parse(createdAt))}</small>
                </div>
                {position === null ? null : (
                  <div class="actions">
                    <Button
                      look="quiet"
                      label={`${words.save}: ${nameOf(epoch, stamp)}`}
                      onPress={() => save(client, { anchorId, epoch, stamp })}
                    >
                      {words.save}
                    </Button>
                    <a href={`/verify/#${anchorId}`} aria-label={`${words.check}: ${nameOf(epoch, stamp)}`}>
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

type Listed = Awaited<ReturnType<Client['anchors']['page']>>['items'][number]

/** A stamp never changes, so it is read once. */
const stamps = new Map<string, AnchorStamp | null>()
/** How many stamps are read at a time. */
const AT_A_TIME = 4

/** The anchors with their stamps; null for one that has none, or whose stamp cannot be read. */
async function withStamps(client: Client, anchors: readonly Listed[]) {
  const waiting = anchors.filter(({ anchorId }) => !stamps.has(anchorId))
  const read = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { anchorId } = next
      // One that cannot be read now is only a name less.
      const stamp = await client.anchors.stampOf(anchorId).catch(() => undefined)
      if (stamp !== undefined) stamps.set(anchorId, stamp)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, read))
  return anchors.map((anchor) => ({ ...anchor, stamp: stamps.get(anchor.anchorId) ?? null }))
}

function nameOf(epoch: string, stamp: AnchorStamp | null): string {
  return stamp?.name ?? (epoch === '-' ? words.unnamed : epoch)
}

interface Saved extends Pick<Listed, 'anchorId' | 'epoch'> {
  readonly stamp: AnchorStamp | null
}

/** With the nonce, without which nobody can show which file was anchored. */
async function save(client: Client, { anchorId, epoch, stamp: known }: Saved): Promise<void> {
  const stamp = known ?? (await client.anchors.stampOf(anchorId))
  const bundle = stamp ? await client.anchors.complete(stamp) : await client.anchors.bundle(anchorId)
  download(`${stamp?.name ?? (epoch === '-' ? anchorId : epoch)}.anchor.json`, bundle)
}

function LookAgain({ onTime }: { readonly onTime: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onTime, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [])
  return null
}
