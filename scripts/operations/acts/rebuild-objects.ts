import {
  RECORDED_OBJECTS,
  type RebuildObjects,
  type RecordingService,
  rebuiltObjectsSchema,
} from '@svc/protocol/operator/rebuild-objects'
import { type ActTarget, sendOperatorAct } from './operator-act.ts'

/** What is rebuilt, and the service that records it. */
export interface WantedRebuild extends Omit<RebuildObjects, 'after'> {
  readonly service: RecordingService
}

/** Parses `OBJECTS all|NAME WHEN [replace]`; null for anything else. `WHEN` is `now` or a time that `Date` reads. */
export function rebuildOf(
  [what = '', whom = '', when = '', ...rest]: readonly string[],
  now: number,
): WantedRebuild | null {
  const recorded = serviceOf(what)
  const [how] = rest
  const lostAt = when === 'now' ? now : Date.parse(when)
  const isKnown = rest.length === 0 || (rest.length === 1 && how === 'replace')
  if (!recorded || whom === '' || !Number.isFinite(lostAt) || lostAt > now || !isKnown) return null
  return { ...recorded, name: whom === 'all' ? null : whom, replaces: how === 'replace', lostAt }
}

/** Rebuilds one object or, page by page, all that have records, and prints the progress. Returns the exit status. */
export async function rebuildObjects(
  target: ActTarget,
  seed: Uint8Array,
  { service, ...about }: WantedRebuild,
  headers: Readonly<Record<string, string>>,
  print: (line: string) => void = console.log,
): Promise<number> {
  let isComplete = true
  for (let after: string | null = null; ; ) {
    const act = { type: 'svc/operator-rebuild-objects/v1', service, members: { ...about, after } } as const
    const response = await sendOperatorAct(target, seed, act, headers)
    const body: unknown = await response.json()
    print(JSON.stringify(body))
    if (!response.ok) return 1
    // The DID service answers without an envelope.
    const { data = body } = body as { readonly data?: unknown }
    const { newer, failed, unreadable, next } = rebuiltObjectsSchema.parse(data)
    isComplete &&= newer.length + failed.length + unreadable === 0
    if (next === null) return isComplete ? 0 : 1
    after = next
  }
}

function serviceOf(what: string): Pick<WantedRebuild, 'service' | 'objects'> | null {
  for (const service of Object.keys(RECORDED_OBJECTS) as RecordingService[]) {
    const objects = RECORDED_OBJECTS[service].find((known) => known === what)
    if (objects) return { service, objects }
  }
  return null
}
