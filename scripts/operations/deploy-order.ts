/**
 * The order in which Workers are uploaded. Cloudflare rejects a Worker that binds to one that does not exist, so each
 * comes after those it binds to. If two bind to each other, one is first uploaded without the bindings that do not
 * resolve yet, returns 503 where it needs them, and is uploaded again at the end. A Durable Object binding is never left
 * out, because every request would miss the class. Pure.
 *
 * @module
 */

export interface Bound {
  readonly name: string
  /** The scripts whose Durable Object classes it uses. */
  readonly objects: readonly string[]
  /** The scripts that it calls. */
  readonly services: readonly string[]
}

export interface Upload {
  readonly name: string
  /** The scripts to which service bindings are left out. */
  readonly without: readonly string[]
}

/** `existing` are the scripts that the account already has, so that bindings to them resolve at once. */
export function uploadOrder(workers: readonly Bound[], existing: ReadonlySet<string>): Upload[] {
  const there = new Set(existing)
  const uploaded = new Set<string>()
  const uploads: Upload[] = []
  const again: string[] = []
  const waiting = new Set(workers)
  // An existing class may be an older version, so callees are uploaded before their callers.
  const hasObjects = ({ objects }: Bound) => objects.every((target) => there.has(target))
  while (waiting.size > 0) {
    const candidates = [...waiting]
    const next =
      candidates.find((one) => hasObjects(one) && one.services.every((target) => uploaded.has(target))) ??
      candidates.find((one) => hasObjects(one) && isOnCircle(one, candidates))
    if (next === undefined)
      throw new Error(`Durable Object bindings form a cycle: ${candidates.map(({ name }) => name).join(', ')}`)
    const without = next.services.filter((target) => !there.has(target))
    uploads.push({ name: next.name, without })
    if (without.length > 0) again.push(next.name)
    uploaded.add(next.name)
    there.add(next.name)
    waiting.delete(next)
  }
  return [...uploads, ...again.map((name) => ({ name, without: [] }))]
}

/**
 * Calls that carry no internal secret, so that a change of it needs no order, and without which everything else of the
 * caller goes on: core repeats what it tells keys, and asks pay for licences, codes and tiers beyond the free one. So two that call each other may have
 * one of these between them.
 */
const LOOSE_CALLS: readonly { readonly from: string; readonly to: string }[] = [
  { from: 'svc-core', to: 'svc-keys' },
  { from: 'svc-core', to: 'svc-pay' },
]

export function isLooseCall(from: string, to: string): boolean {
  return LOOSE_CALLS.some((call) => call.from === from && call.to === to)
}

/** The order in which each Worker comes after all that it calls and that must answer, regardless of whose classes it uses. */
export function calleesFirst(workers: readonly Bound[]): string[] {
  const uploads = uploadOrder(
    workers.map(({ name, services }) => ({
      name,
      services: services.filter((target) => !isLooseCall(name, target)),
      objects: [],
    })),
    new Set(),
  )
  const circle = uploads.find(({ without }) => without.length > 0)
  if (circle !== undefined) throw new Error(`${circle.name} and ${circle.without.join(', ')} call each other`)
  return uploads.map(({ name }) => name)
}

/** A Worker that only leads to the cycle waits for it. */
function isOnCircle(start: Bound, waiting: readonly Bound[]): boolean {
  const reached = new Set([...start.objects, ...start.services])
  for (const name of reached) {
    const next = waiting.find((one) => one.name === name)
    for (const target of next === undefined ? [] : [...next.objects, ...next.services]) reached.add(target)
  }
  return reached.has(start.name)
}

export function boundOf(config: {
  readonly name: string
  readonly durable_objects?: { readonly bindings: readonly { script_name?: string }[] }
  readonly services?: readonly { service: string }[]
}): Bound {
  const others = (names: readonly string[]) => [...new Set(names)].filter((name) => name !== config.name)
  const objects = config.durable_objects?.bindings.flatMap(({ script_name }) => script_name ?? []) ?? []
  return {
    name: config.name,
    objects: others(objects),
    services: others(config.services?.map(({ service }) => service) ?? []),
  }
}
