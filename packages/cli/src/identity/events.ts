import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { flag, type Given, type Result } from '../result.ts'

/** The longest that core lets a request wait. */
const WAIT_SECONDS = 25

/** What happened to the identity so far, verified; with `--wait`, what happens next. */
export async function events(context: Context, given: Given): Promise<Result> {
  const { events: feed } = await context.client()
  const pages = []
  for await (const page of feed.iterate()) pages.push(page)
  const after = pages.at(-1)?.place
  const waits = flag(given, 'wait')
  const read = waits ? [await feed.read({ waitSeconds: WAIT_SECONDS, ...(after && { after }) })] : pages
  const found = read.flatMap((page) => page.events)
  return {
    data: { events: found, missed: read.reduce((sum, { missed }) => sum + missed, 0) },
    text:
      found.length === 0
        ? 'Nothing happened.'
        : found.map(({ sequence, kind, at }) => `${sequence}  ${new Date(at).toISOString()}  ${kind}`),
    exitCode: waits && found.length === 0 ? EXIT.pending : EXIT.ok,
  }
}
