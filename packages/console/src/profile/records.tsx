import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/profile/words.ts'
import { SHOWN } from './reads.ts'
import type { Shown } from './state.tsx'

/** The newest anchors, each with a link that checks it. */
export function Anchored({ did, reader }: Shown) {
  const read = () => reader.ask({ of: 'anchors', did })
  return (
    <Part title={words.anchors} of={did} read={read}>
      {(anchors) => (
        <>
          {anchors.length === 0 ? <p>{words.noAnchors}</p> : null}
          <ul class="list">
            {anchors.map(({ anchorId, root, epoch, createdAt }) => (
              <li key={anchorId}>
                <div>
                  <strong>{epoch}</strong>
                  <small>{words.anchoredAt(momentOf(Date.parse(createdAt)))}</small>
                  <Exact>{root}</Exact>
                </div>
                <a href={`/verify/#${anchorId}`} aria-label={`${words.check}: ${epoch}`}>
                  {words.check}
                </a>
              </li>
            ))}
          </ul>
          {anchors.length === SHOWN ? <p>{words.more(SHOWN)}</p> : null}
        </>
      )}
    </Part>
  )
}

/** What it has declared that machines may do with its content. */
export function Declared({ did, reader }: Shown) {
  const read = () => reader.ask({ of: 'consent', did })
  return (
    <Part title={words.consent} of={did} read={read}>
      {(records) => (
        <>
          {records.length === 0 ? <p>{words.noConsent}</p> : null}
          <ul class="list">
            {records.map(({ hash, usage }) => (
              <li key={hash}>
                <div>
                  <strong>
                    <Exact isPlain>{hash}</Exact>
                  </strong>
                  <small>{usage}</small>
                </div>
                {/^https?:\/\//.test(hash) ? (
                  <a href={`/verify/#${encodeURIComponent(hash)}`} aria-label={`${words.check}: ${hash}`}>
                    {words.check}
                  </a>
                ) : null}
              </li>
            ))}
          </ul>
          {records.length === SHOWN ? <p>{words.more(SHOWN)}</p> : null}
        </>
      )}
    </Part>
  )
}
