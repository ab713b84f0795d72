/**
 * Which events become one: pure, with time passed in. A key that places and lifts holds all day leaves two events, and a
 * root key that adds and deletes hooks all day leaves one, so that neither pushes the others of its family out.
 *
 * @module
 */
import { type FeedEvent, MERGE_HOURS } from '@svc/protocol/events/events'

const MERGE_MS = MERGE_HOURS * 3_600_000

/** What happens now. `isBrief`: a hook is removed that was active for less than a day. */
export interface Act {
  readonly kind: FeedEvent['kind']
  readonly ref: string
  readonly isBrief: boolean
}

/** Whether the event of an act stands for an earlier one of its family as well. `hooks` are those that there are. */
export function merges(act: Act, event: FeedEvent, hooks: ReadonlySet<string>, now: number): boolean {
  if (firstOf(event) <= now - MERGE_MS) return false
  if (event.ref === act.ref && (event.kind === act.kind || act.isBrief)) return true
  // The last page of a hook that is still there names its own removal.
  const isBriefRemoval = event.kind === 'hook.removed' && event.count !== undefined && !hooks.has(event.ref)
  return act.isBrief && isBriefRemoval
}

/** Whether an event stands for an earlier one of its family, which is then gone. `hooks` are those that there are. */
export function standsFor(event: FeedEvent, earlier: FeedEvent, hooks: ReadonlySet<string>): boolean {
  const { kind, ref, since } = event
  if (since === undefined || firstOf(earlier) < since) return false
  return merges({ kind, ref, isBrief: kind === 'hook.removed' }, earlier, hooks, event.at)
}

/** What an event says of those that it stands for; nothing if it stands for itself. */
export function mergedOf(events: readonly FeedEvent[]): Pick<FeedEvent, 'count' | 'since'> {
  if (events.length === 0) return {}
  const count = events.reduce((sum, event) => sum + (event.count ?? 1), 1)
  return { count, since: Math.min(...events.map(firstOf)) }
}

function firstOf({ at, since }: FeedEvent): number {
  return since ?? at
}
