import { type EventReport, reportsTakenSchema } from '@svc/protocol/internal/events'
import type { InternalClient } from './internal.ts'

/** Tells the event feed of an owner what happened. Whether core has it; otherwise repeat it, with the same ids. Never rejects. */
export async function reportEvents(
  core: InternalClient,
  did: string,
  events: readonly EventReport[],
): Promise<boolean> {
  const path = `/api/internal/events/${did}`
  return (await core.call({ method: 'POST', path, body: { events } }, reportsTakenSchema)).ok
}
