import { RECORDED_OBJECTS, type RebuildObjects, rebuiltObjectsSchema } from '@svc/protocol/operator/rebuild-objects'
import { type ActTarget, sendOperatorAct } from './operator-act.ts'

/** Parses `OBJECTS all|NAME WHEN [replace]`; null for anything else. `WHEN` is `now` or a time that `Date` reads. */
export function rebuildOf(
  [what = '', whom = '', when = '', ...rest]: readonly string[],
  now: number,
): Omit<RebuildObjects, 'after'> | null {
  const objects = RECORDED_OBJECTS.core.find((known) => known === what)
  const [how] = rest
  const lostAt = when === 'now' ? now : Date.parse(when)
  const isKnown = rest.length === 0 || (rest.length === 1 && how === 'replace')
  if (!objects || whom === '' || !Number.isFinite(lostAt) || lostAt > now || !isKnown) return null
  return { objects, name: whom === 'all' ? null : whom, replaces: how === 'replace', lostAt }
}

/** Rebuilds one object or, page by page, all that have records, and prints the progress. Returns the exit status. */
export async function rebuildObjects(
  core: ActTarget,
  seed: Uint8Array,
  about: Omit<RebuildObjects, 'after'>,
  print: (line: string) => void = console.log,
): Promise<number> {
  let isComplete = true
  for (let after: string | null = null; ; ) {
    const act = { type: 'svc/operator-rebuild-objects/v1', service: 'core', members: { ...about, after } } as const
    const response = await sendOperatorAct(core, seed, act)
    const body: unknown = await response.json()
    print(JSON.stringify(body))
    if (!response.ok) return 1
    const { newer, failed, unreadable, next } = rebuiltObjectsSchema.parse((body as { readonly data: unknown }).data)
    isComplete &&= newer.length + failed.length + unreadable === 0
    if (next === null) return isComplete ? 0 : 1
    after = next
  }
}
