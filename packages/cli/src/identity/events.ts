import type { FeedEvent } from '#client'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { count, flag, type Given, option, type Result } from '../result.ts'

/** `3×` for an event that stands for three. */
function lineOf({ sequence, kind, at, count: times }: FeedEvent): string {
  return `${sequence}  ${new Date(at).toISOString()}  ${kind}${times === undefined ? '' : `  ${times}×`}`
}

/** The longest that core lets a request wait. */
const WAIT_SECONDS = 25

/**
 * What happened to the identity so far, verified. With `--after`, what is newer than an event. With `--wait`, what happens
 * next, unless something newer is there already.
 */
export async function events(context: Context, given: Given): Promise<Result> {
  const after = option(given, 'after') === undefined ? null : count(given, 'after', 0)
  const { events: feed } = await context.client()
  const pages = []
  for await (const page of feed.iterate()) pages.push(page)
  const newer = pages.flatMap((page) => page.events).filter(({ sequence }) => sequence > (after ?? 0))
  const place = pages.at(-1)?.place
  const waits = flag(given, 'wait') && (after === null || newer.length === 0)
  const next = waits ? await feed.read({ waitSeconds: WAIT_SECONDS, ...(place && { after: place }) }) : null
  const found = next?.events ?? newer
  return {
    data: { events: found, missed: next?.missed ?? pages.reduce((sum, { missed }) => sum + missed, 0) },
    text: found.length === 0 ? 'Nothing happened.' : found.map(lineOf),
    exitCode: waits && found.length === 0 ? EXIT.pending : EXIT.ok,
  }
}
