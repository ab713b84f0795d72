import { useEffect, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import type { Similar } from '../verify/similar.ts'
import { words } from '../words/capsules/words.ts'
import { keptOf } from './kept.ts'
import { VerifyLink } from './verify-link.tsx'

interface FoundProps {
  readonly similar: readonly Similar[]
  readonly did: string
  readonly change: number
}

/** Registered content that is like what was searched for. */
export function Found({ similar, did, change }: FoundProps) {
  const [mine, setMine] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => void keptOf(did).then((kept) => setMine(new Set(kept.map(({ id }) => id)))), [did, change])
  return (
    <section class="panel">
      <h2>{words.found}</h2>
      {similar.length === 0 ? <p>{words.noneFound}</p> : null}
      <ul class="list">
        {similar.map(({ assetId, likeness }) => (
          <li key={assetId}>
            <div>
              <Exact>{assetId}</Exact>
              {mine.has(assetId) ? <span class="tag">{words.isMine}</span> : null}
              <small>
                {'percent' in likeness ? words.likeText(likeness.percent) : words.likeImage(likeness.distance)}
              </small>
            </div>
            <VerifyLink id={assetId} name={assetId} />
          </li>
        ))}
      </ul>
    </section>
  )
}
