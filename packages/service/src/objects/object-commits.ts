import type { VersionedObject } from '@svc/objects'
import { type ObjectCommitReport, objectCommitsSchema } from '@svc/protocol/http/health'
import type { Service } from '@svc/rate-limit'
import type { ServiceConfig } from '../app/config.ts'
import { logDelay } from '../app/log.ts'
import { defineOperation, type Route, route } from '../app/operation.ts'
import { objectsIn } from './objects-in.ts'

/** No user's object has this name. It keeps nothing. */
const ASKED_NAME = 'health'
/** However many ask, an isolate calls each class at most this often. */
const FRESH_MS = 5_000
const PATIENCE_MS = 2_000

export interface Askable {
  getByName(name: string): { commit(): Promise<string> }
}

/** Which code the objects of a service run: after a deployment, it may be older than the Worker's for a while. */
export class ObjectCommits {
  readonly #service: Service
  readonly #namespaces: () => Readonly<Record<string, Askable>>
  #read: { readonly at: number; readonly report: ObjectCommitReport } | null = null

  /** Namespaces are looked up when they are asked. */
  constructor(service: Service, namespaces: () => Readonly<Record<string, Askable>>) {
    this.#service = service
    this.#namespaces = namespaces
  }

  /** At most five seconds old. Never rejects. */
  async recent(now: number): Promise<ObjectCommitReport> {
    if (this.#read && now - this.#read.at < FRESH_MS) return this.#read.report
    const asked = Object.entries(this.#namespaces()).map(async ([binding, namespace]) => {
      return [binding, await this.#commitOf(namespace)] as const
    })
    const report = Object.fromEntries(await Promise.all(asked))
    this.#read = { at: now, report }
    return report
  }

  async #commitOf(namespace: Askable): Promise<string | null> {
    try {
      const late = scheduler.wait(PATIENCE_MS).then(() => Promise.reject(new Error('no answer')))
      return await Promise.race([namespace.getByName(ASKED_NAME).commit(), late])
    } catch (error) {
      logDelay({ service: this.#service, delayed: 'object commits' }, error)
      return null
    }
  }
}

/** Asks one object of each Durable Object class that the Worker is bound to. */
export function objectCommitsOf(service: Service, env: object): ObjectCommits {
  return new ObjectCommits(service, () => {
    const namespaces = Object.entries(env).filter(
      (binding): binding is [string, DurableObjectNamespace<VersionedObject>] => isNamespace(binding[1]),
    )
    return Object.fromEntries(namespaces.map(([name, namespace]) => [name, objectsIn(env, namespace)]))
  })
}

/** A service binding has a member of any name, so only its class tells. */
function isNamespace(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object DurableObjectNamespace]'
}

export const readObjectCommits = defineOperation({
  id: 'readObjectCommits',
  method: 'get',
  path: '/health/objects',
  summary: 'Read the commits of the Worker and of its Durable Objects',
  description:
    'One object of each class says which code it runs. Objects take a new version up to 30 seconds after the Worker, and ' +
    'while traffic moves each runs either. At most five seconds old.',
  auth: 'none',
  answer: { status: 200, description: 'The commits', schema: objectCommitsSchema, bare: true },
})

interface ObjectCommitsDeps {
  readonly config: ServiceConfig
  readonly objectCommits: ObjectCommits
}

export function objectCommitsRoute(service: Service): Route<ObjectCommitsDeps> {
  return route<ObjectCommitsDeps>()(readObjectCommits, async ({ deps, now }) => ({
    service,
    commit: deps.config.COMMIT,
    objects: await deps.objectCommits.recent(now),
  }))
}
