import { SignIn } from '@svc/client/sign-in'
import type { WorkerName } from '../lib/workspace.ts'
import type { LoadRequest } from '../measure/load.ts'
import type { Actor } from './actor.ts'
import { newText } from './books/texts.ts'
import { type Planned, signedRead } from './planned.ts'
import { type Random, weighted } from './random.ts'
import { asSent } from './sealer.ts'

export interface Kind {
  readonly name: string
  readonly service: WorkerName
  readonly access: 'read' | 'write'
  /** How many in a hundred requests, on average. */
  readonly weight: number
  readonly plan: (actor: Actor) => Promise<Planned | null>
}

export interface PlannedRequest extends Planned {
  readonly kind: Kind
}

const read = (name: string, service: WorkerName, weight: number, request: (actor: Actor) => Promise<LoadRequest>) =>
  ({ name, service, access: 'read', weight, plan: async (actor: Actor) => signedRead(await request(actor)) }) as const

/** Without a credential. */
const openRead = (name: string, service: WorkerName, weight: number, path: (actor: Actor) => string) =>
  read(name, service, weight, (actor) =>
    Promise.resolve({ method: 'GET', url: actor.stage.urls[service] + path(actor) }),
  )

const write = (name: string, service: WorkerName, weight: number, plan: Kind['plan']) =>
  ({ name, service, access: 'write', weight, plan }) as const

/**
 * What is asked for, and how often. Reads are two thirds. Nobody has counted what people will do: the weights are such
 * that every Worker has some, that the writes that others depend on are there, and that no kind is too rare to be seen.
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

/** Of what this actor has declared last, where it has declared anything. */
function optOutOf({ books, did }: Actor): string {
  return `/api/v1/partner/opt-out?hash=${encodeURIComponent(books.preferences.hashes.at(-1) ?? did)}`
}

/** Each by somebody, in the order in which they are to be sent. Whoever may write no more of a kind does something else. */
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

/** The first message of a login under a name that nobody has: answered as any other. */
async function loginAt(auth: string): Promise<LoadRequest> {
  const request = await new Promise<Request>((resolve, reject) => {
    const fetch = (made: Request) => {
      resolve(made)
      return new Promise<Response>(() => {})
    }
    new SignIn({ auth, fetch }).logIn(`nobody-${crypto.randomUUID()}`, 'a password').catch(reject)
  })
  return asSent('POST', request)
}
