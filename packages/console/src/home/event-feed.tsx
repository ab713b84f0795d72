import type { Client, FeedEvent } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { momentOf } from '../shell/dates.ts'
import { sentenceOf } from '../shell/sentences.ts'
import { words } from '../words/home/words.ts'

const SHOWN = 20

interface EventFeedProps {
  readonly client: Client
  /** Called for what happens while the page is open. */
  readonly onNews: () => void
}

/** What happened to the identity, newest first, and what happens from now on. */
export function EventFeed({ client, onNews }: EventFeedProps) {
  const [events, setEvents] = useState<readonly FeedEvent[]>([])
  const [fault, setFault] = useState('')
  useEffect(() => {
    const ending = new AbortController()
    const follow = async () => {
      let isFirst = true
      for await (const news of client.with({ signal: ending.signal }).events.watch()) {
        setEvents((known) => [...news.events.toReversed(), ...known].slice(0, SHOWN))
        if (!isFirst) onNews()
        isFirst = news.place.sequence < news.total
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
        {events.map(({ sequence, kind, at }) => (
          <li key={sequence}>
            <span>{words.event[kind] ?? kind}</span>
            <small>{momentOf(at)}</small>
          </li>
        ))}
      </ol>
    </section>
  )
}
