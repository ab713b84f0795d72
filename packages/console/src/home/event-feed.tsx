import type { Client, FeedEvent } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../failures/sentences.ts'
import { momentOf } from '../shell/dates.ts'
import { words } from '../words/home/words.ts'

const SHOWN = 20

interface EventFeedProps {
  readonly client: Client
  /** Called whenever the feed has caught up. */
  readonly onNews: () => void
}

/** What happened to the identity, newest first, and what happens from now on. */
export function EventFeed({ client, onNews }: EventFeedProps) {
  const [events, setEvents] = useState<readonly FeedEvent[]>([])
  const [fault, setFault] = useState('')
  useEffect(() => {
    const ending = new AbortController()
    const follow = async () => {
      for await (const news of client.with({ signal: ending.signal }).events.watch()) {
        setEvents((known) => [...news.events.toReversed(), ...known].slice(0, SHOWN))
        // The first time as well: the other parts were read before the feed, and something may have come in between.
        if (news.place.sequence >= news.total) onNews()
      }
    }
    follow().catch((error: unknown) => {
      if (!ending.signal.aborted) setFault(sentenceOf(error))
    })
    return () => ending.abort()
  }, [client])
  return (
    <section class="panel">
      <h2>{words.events}</h2>
      <p>{words.eventsLead}</p>
      {fault === '' ? null : (
        <p role="alert" class="bad">
          {fault}
        </p>
      )}
      {events.length === 0 ? <p>{words.noEvents}</p> : null}
      <ol class="list" aria-live="polite">
        {events.map(({ sequence, kind, at, count }) => (
          <li key={sequence}>
            <span>
              {words.event[kind] ?? kind}
              {count === undefined ? '' : ` (${count}×)`}
            </span>
            <small>{momentOf(at)}</small>
          </li>
        ))}
      </ol>
    </section>
  )
}
