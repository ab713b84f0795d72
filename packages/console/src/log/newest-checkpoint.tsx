import { Exact } from '../content/exact.tsx'
import type { PublicReader } from '../services/public-reader.ts'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { Steps } from '../shell/steps.tsx'
import { words } from '../words/log/words.ts'
import type { Newest } from './newest.ts'
import { Tree } from './tree.tsx'
import { type Checkpoint, keepVisit, type Series, type Visit, visitsOf } from './visits.ts'

interface NewestProps {
  readonly series: Series
  readonly reader: PublicReader
}

/** The newest checkpoint beside that of the last visit. */
interface Compared extends Newest {
  /** Oldest first, without the current one. */
  readonly visits: readonly Visit[]
}

export function NewestCheckpoint({ series, reader }: NewestProps) {
  const read = async (): Promise<Compared> => {
    const visits = visitsOf<Checkpoint>(series)
    const newest = await reader.ask({ of: 'newest', series, earlier: visits.at(-1)?.checkpoint ?? null })
    if (newest.since !== 'contradicts') keepVisit(series, { at: Date.now(), checkpoint: newest.checkpoint })
    return { ...newest, visits }
  }
  return (
    <Part title={words[series]} of={series} read={read}>
      {(found) => <Found {...found} />}
    </Part>
  )
}

function Found({ checkpoint, cosignatures, visits, since }: Compared) {
  const { log, size, root, issuedAt } = checkpoint.statement
  const last = visits.at(-1)
  const isSameLog = last !== undefined && last.checkpoint.statement.log === log
  const ofThisLog = visits.filter((visit) => visit.checkpoint.statement.log === log)
  const points = [
    ...ofThisLog.map((visit) => ({ at: visit.at, value: visit.checkpoint.statement.size })),
    { at: Date.now(), value: size },
  ]
  return (
    <>
      <p class={since === 'contradicts' ? 'note bad' : 'note'} role="status">
        {sentence(since, size - (last?.checkpoint.statement.size ?? 0), last === undefined ? '' : momentOf(last.at))}
      </p>
      <Tree size={size} seen={isSameLog ? last.checkpoint.statement.size : null} />
      <dl>
        <dt>{words.name}</dt>
        <dd>{log}</dd>
        <dt>{words.size}</dt>
        <dd>{size}</dd>
        <dt>{words.root}</dt>
        <dd>
          <Exact>{root}</Exact>
        </dd>
        <dt>{words.signedAt}</dt>
        <dd>{momentOf(issuedAt)}</dd>
      </dl>
      <p>{words.isListed}</p>
      {cosignatures === null ? null : <p>{words.witnessed(cosignatures)}</p>}
      {points.every(({ value }) => value === size) ? null : (
        <Steps title={words.growthTitle} text={words.growthText(points[0]?.value ?? 0, size)} points={points} />
      )}
      {isSameLog ? (
        <>
          <button
            type="button"
            class="plain"
            onClick={() =>
              void navigator.clipboard.writeText(JSON.stringify({ earlier: last.checkpoint, later: checkpoint }))
            }
          >
            {words.compare}
          </button>
          <p class="soft">{words.compareLead}</p>
        </>
      ) : null}
    </>
  )
}

function sentence(since: Compared['since'], added: number, at: string): string {
  switch (since) {
    case 'first_visit':
      return words.firstVisit
    case 'unchanged':
      return words.unchanged(at)
    case 'grown':
      return words.grown(added, at)
    case 'other_log':
      return words.other
    case 'contradicts':
      return words.contradicts
  }
}
