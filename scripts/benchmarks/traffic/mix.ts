import { SignIn } from '@svc/client/sign-in'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { WorkerName } from '@svc/platform/workspace'
import type { Actor } from './actor.ts'
import { newText } from './books/texts.ts'
import { type Planned, signedRead } from './planned.ts'
import { type Random, weighted } from './random.ts'
import { asSent } from './sealer.ts'

export interface Kind {
  readonly name: string
  readonly service: WorkerName
  readonly access: 'read' | 'write'
  /** The average number per hundred requests. */
  readonly weight: number
  readonly plan: (actor: Actor) => Promise<Planned | null>
}

export interface PlannedRequest extends Planned {
  readonly kind: Kind
}

const read = (name: string, service: WorkerName, weight: number, request: (actor: Actor) => Promise<LoadRequest>) =>
  ({ name, service, access: 'read', weight, plan: async (actor: Actor) => signedRead(await request(actor)) }) as const

/** Needs no credential. */
const openRead = (name: string, service: WorkerName, weight: number, path: (actor: Actor) => string) =>
  read(name, service, weight, (actor) =>
    Promise.resolve({ method: 'GET', url: actor.stage.urls[service] + path(actor) }),
  )

const write = (name: string, service: WorkerName, weight: number, plan: Kind['plan']) =>
  ({ name, service, access: 'write', weight, plan }) as const

/**
 * The kinds of requests and their frequency; two thirds are reads. There is no usage data yet. The weights are chosen so
 * that every Worker gets requests, prerequisite writes exist, and every kind is frequent enough to measure.
 */
export const MIX: readonly Kind[] = [
  read('root read', 'core', 9, (actor) => Promise.resolve(actor.person.rootRead)),
  read('head read', 'core', 8, (actor) => actor.person.read('/api/chain/head')),
  read('notes list', 'core', 5, ({ sealer }) => sealer.seal('GET', ({ notes }) => notes.list())),
  read('inbox list', 'core', 3, ({ sealer }) => sealer.seal('GET', ({ inbox }) => inbox.list())),
  openRead('anchors proof', 'core', 2, () => '/api/anchors/state-proof?window=64'),
  openRead('consent read', 'consent', 9, optOutOf),
  read('consent batch', 'consent', 2, (actor) => Promise.resolve(batchOf(actor))),
  openRead('resolution', 'did', 8, ({ did }) => `/1.0/identifiers/${did}`),
  read('text search', 'provenance', 2, ({ strangers }) =>
    strangers.seal('POST', ({ provenance }) => provenance.searchText(newText())),
  ),
  openRead('directory proof', 'keys', 4, ({ published }) => `/api/transparency/proof/${published.leafId}`),
  openRead('offers', 'pay', 4, () => '/pay/offer?country=DE'),
  openRead('docs page', 'docs', 6, () => '/developer/identity'),
  read('sign-in begins', 'auth', 3, ({ stage }) => loginAt(stage.urls.auth)),
  write('append', 'core', 8, ({ books }) => books.blocks.next()),
  write('note', 'core', 6, ({ books }) => books.notes.next()),
  write('inbox message', 'core', 1, ({ books }) => books.messages.next()),
  write('anchor', 'core', 3, ({ books }) => books.roots.next()),
  write('text', 'provenance', 2, ({ books }) => books.texts.next()),
  write('consent', 'consent', 5, ({ books }) => books.preferences.next()),
  write('quota use', 'pay', 5, ({ books }) => books.uses.next()),
  write('package', 'keys', 2, ({ books }) => books.packages.next()),
  write('prekey', 'keys', 3, ({ books }) => books.prekeys.next()),
]

/** For the last declaration of this actor, if any. */
function optOutOf({ books, did }: Actor): string {
  return `/api/v1/partner/opt-out?hash=${encodeURIComponent(books.preferences.hashes.at(-1) ?? did)}`
}

/** Plans the requests, each by an actor, in sending order. An actor at the limit of one kind sends another kind. */
export async function planRequests(actors: readonly Actor[], count: number, random: Random): Promise<PlannedRequest[]> {
  const planned: PlannedRequest[] = []
  while (planned.length < count) {
    const kind = weighted(MIX, random)
    const actor = actors[Math.floor(random() * actors.length)]
    const request = await (actor && kind.plan(actor))
    if (request) planned.push({ ...request, kind })
  }
  return planned
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

function batchOf({ stage, did, books }: Actor): LoadRequest {
  const known = books.preferences.hashes.slice(-50)
  const hashes = [...known, ...Array.from({ length: 100 - known.length }, (_, i) => `${did}#${i}`)]
  return { method: 'POST', url: `${stage.urls.consent}/api/v1/consent/batch`, body: json({ hashes }) }
}

/** The first message of a login under an unknown name, which is answered like any other. */
async function loginAt(auth: string): Promise<LoadRequest> {
  const request = await new Promise<Request>((resolve, reject) => {
    const fetch = (url: string, init: RequestInit) => {
      resolve(new Request(url, init))
      return new Promise<Response>(() => {})
    }
    new SignIn({ auth, fetch, timeoutMs: Number.POSITIVE_INFINITY })
      .logIn(`nobody-${crypto.randomUUID()}`, 'a password')
      .catch(reject)
  })
  return asSent('POST', request)
}
