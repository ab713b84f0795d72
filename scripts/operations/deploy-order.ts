/**
 * In which order Workers are uploaded. Cloudflare refuses a Worker that binds to another which is not there, so each
 * comes after those that it binds to. Two that bind to each other cannot: one of them is uploaded without the service
 * bindings that lead nowhere yet, answers 503 where it would need them, and is uploaded again at the end. A Durable
 * Object binding is never left out, since the class would be missing from every request. Pure.
 *
 * @module
 */

export interface Bound {
  readonly name: string
  /** Scripts whose Durable Object classes it uses. */
  readonly objects: readonly string[]
  /** Scripts that it calls. */
  readonly services: readonly string[]
}

export interface Upload {
  readonly name: string
  /** Service bindings to these are left out. */
  readonly without: readonly string[]
}

/** `existing` are scripts that the account has already: what leads to them can be bound at once. */
export function uploadOrder(workers: readonly Bound[], existing: ReadonlySet<string>): Upload[] {
  const there = new Set(existing)
  const uploaded = new Set<string>()
  const uploads: Upload[] = []
  const again: string[] = []
  const waiting = new Set(workers)
  // A class that is there need not be the newest one; what is called goes up before whoever calls it.
  const hasObjects = ({ objects }: Bound) => objects.every((target) => there.has(target))
  while (waiting.size > 0) {
    const candidates = [...waiting]
    const next =
      candidates.find((one) => hasObjects(one) && one.services.every((target) => uploaded.has(target))) ??
      candidates.find((one) => hasObjects(one) && isOnCircle(one, candidates))
    if (next === undefined)
      throw new Error(`Durable Objects lead in a circle: ${candidates.map(({ name }) => name).join(', ')}`)
    const without = next.services.filter((target) => !there.has(target))
    uploads.push({ name: next.name, without })
    if (without.length > 0) again.push(next.name)
    uploaded.add(next.name)
    there.add(next.name)
    waiting.delete(next)
  }
  return [...uploads, ...again.map((name) => ({ name, without: [] }))]
}

/** In which order each comes after all that it calls, whoever's classes it uses. */
export function calleesFirst(workers: readonly Bound[]): string[] {
  const uploads = uploadOrder(
    workers.map((worker) => ({ ...worker, objects: [] })),
    new Set(),
  )
  const circle = uploads.find(({ without }) => without.length > 0)
  if (circle !== undefined) throw new Error(`${circle.name} and ${circle.without.join(', ')} call each other`)
  return uploads.map(({ name }) => name)
}

/** Whoever only leads to a circle waits for it. */
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
