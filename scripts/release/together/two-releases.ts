/**
 * Puts the previous release beside the current one in one local runtime, for what happens during a deployment: each calls
 * the entrypoints and the objects of the other.
 *
 * @module
 */
import type { PlatformOptions } from '@svc/platform'
import { isWorkerName } from '@svc/platform/workspace'
import { previousBundles, previousFacts } from '../previous-release.ts'

export type Workers = Parameters<NonNullable<PlatformOptions['arrange']>>[0]
export type Worker = Workers[number]

const SUFFIX = '-previous'

/** Each Worker that the previous release has too, with that one under another name and without a socket. */
export interface Pair {
  readonly now: Worker
  readonly before: Worker
}

export function pairsOf(workers: Workers): { pairs: Pair[]; others: Worker[] } {
  const { options } = previousFacts()
  const bundles = previousBundles()
  const pairs: Pair[] = []
  const others: Worker[] = []
  for (const now of workers) {
    const name = (now.name ?? '').replace(/^svc-/, '')
    const kept = options[name]
    const modules = isWorkerName(name) ? bundles.get(name) : undefined
    if (kept === undefined || modules === undefined) {
      others.push(now)
      continue
    }
    const before: Worker = {
      ...kept,
      name: (kept.name ?? '') + SUFFIX,
      // Values that a start makes, such as keys and ports.
      bindings: { ...kept.bindings, ...now.bindings },
      ...(now.unsafeBindings ? { unsafeBindings: now.unsafeBindings } : {}),
      modules,
    }
    pairs.push({ now, before })
  }
  return { pairs, others }
}

/**
 * One release at the public ports, with the entrypoints and the objects of the other behind it. Objects behind call the
 * Workers in front.
 */
export function inFront(workers: Workers, front: 'now' | 'before'): Worker[] {
  const { pairs, others } = pairsOf(workers)
  const isBefore = front === 'before'
  return [
    ...others,
    ...pairs.flatMap(({ now, before }) => {
      const { unsafeDirectSockets } = now
      const socketed = unsafeDirectSockets ? { ...before, unsafeDirectSockets } : before
      return isBefore
        ? [binding(socketed, { objects: '', services: '' }), binding(without(now), { objects: '', services: SUFFIX })]
        : [binding(now, { objects: SUFFIX, services: SUFFIX }), binding(before, { objects: SUFFIX, services: '' })]
    }),
  ]
}

/** The same Worker with its bindings to objects and services of the release with this suffix. */
export function binding(worker: Worker, to: { readonly objects: string; readonly services: string }): Worker {
  const { durableObjects = {}, serviceBindings = {}, name = '' } = worker
  const plain = (script: string) => script.replace(SUFFIX, '')
  const objects = Object.entries(durableObjects).map(([key, object]) => {
    const { scriptName, ...rest } = typeof object === 'string' ? { className: object } : object
    const script = plain(scriptName ?? name) + to.objects
    return [key, script === name ? rest : { ...rest, scriptName: script }] as const
  })
  const services = Object.entries(serviceBindings).map(([key, service]) => {
    const isNamed = typeof service === 'object' && 'name' in service && typeof service.name === 'string'
    return [key, isNamed ? { ...service, name: plain(String(service.name)) + to.services } : service] as const
  })
  return {
    ...worker,
    durableObjects: Object.fromEntries(objects),
    serviceBindings: Object.fromEntries(services),
  }
}

export function without(worker: Worker): Worker {
  const { unsafeDirectSockets: _, ...rest } = worker
  return rest
}
