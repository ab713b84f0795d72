/**
 * A lying core: other objects behind the same Worker, so that every answer of every world is really signed. A client
 * that knows one world is connected to another one, or to one whose answers are changed on the way.
 */

import { env } from 'cloudflare:workers'
import { Client, type Device, type HistoryError, type Identity, type MemoryValue, Transport } from '@svc/client'
import type { GenesisBlock } from '@svc/protocol/chain/chain'
import type { InceptionEvent } from '@svc/protocol/devices/inception'
import { fetchOf, REALM, SERVICE_KEYS } from '@svc/testing'
import { expect } from 'vitest'
import { CORE, sendWith } from '../harness.ts'

export type Send = (request: Request) => Promise<Response>

export interface World {
  readonly fetch: Send
  /** The bindings that make it another world. */
  readonly replaced: Partial<Record<keyof Env, unknown>>
}

let worlds = 0

/** A deployment without identities. */
export function world(): World {
  worlds += 1
  const name = `world-${worlds}`
  const beside = (objects: { getByName(name: string): unknown }) => ({
    getByName: (own: string) => objects.getByName(`${name}/${own}`),
  })
  const replaced = { IDENTITIES: beside(env.IDENTITIES), NOTE_VAULTS: vaultsBeside(name) }
  const serve = sendWith(replaced)
  return {
    replaced,
    fetch: async (request) => {
      const [high = 0, low = 0] = crypto.getRandomValues(new Uint16Array(2))
      const headers = new Headers(request.headers)
      headers.set('cf-connecting-ip', `2001:db8:${high.toString(16)}:${low.toString(16)}::1`)
      const body = new Uint8Array(await request.arrayBuffer())
      if (body.length === 0) return serve(new Request(request.url, { method: request.method, headers }))
      headers.set('content-length', String(body.length))
      return serve(new Request(request.url, { method: request.method, headers, body }))
    },
  }
}

/** Vaults of a world lease from the identities of that world. */
function vaultsBeside(name: string) {
  const leasing = new Set<string | symbol>(['append', 'attach', 'checkAttachment', 'checkVersion'])
  return {
    getByName: (own: string) =>
      new Proxy(env.NOTE_VAULTS.getByName(`${name}/${own}`), {
        get(vault, method) {
          const call = Reflect.get(vault, method) as (...values: unknown[]) => unknown
          return leasing.has(method) ? (_: string, ...rest: unknown[]) => call(`${name}/${own}`, ...rest) : call
        },
      }),
  }
}

export function clientIn(
  { fetch }: Pick<World, 'fetch'>,
  owner: { readonly identity: Identity } | { readonly device: Device },
  memory?: MemoryValue,
): Client {
  return new Client({
    core: CORE,
    did: 'https://did.test',
    ...SERVICE_KEYS,
    ...owner,
    fetch: fetchOf(fetch),
    ...(memory ? { memory } : {}),
  })
}

/** A world where an identity exists, by a genesis block that was signed elsewhere. */
export async function worldOf(identity: Identity, genesis: GenesisBlock): Promise<World> {
  const there = world()
  await clientIn(there, { identity }).chain.genesis({ block: genesis })
  return there
}

/** Sends something signed elsewhere, unchanged. */
export async function replay(to: World, identity: Identity, path: string, body: object): Promise<void> {
  const transport = new Transport({ realm: REALM, fetch: fetchOf(to.fetch) }, identity)
  const audience = path.startsWith('/api/inception') ? 'genesis' : 'chain'
  await transport.send({ method: 'POST', url: CORE + path, audience, body })
}

export function replayEvent(to: World, identity: Identity, event: InceptionEvent): Promise<void> {
  const path = 'acceptance' in event ? '/api/inception/device' : '/api/inception/device-event'
  return replay(to, identity, path, event)
}

export type Change = (data: Record<string, unknown>, request: Request) => object

/** A world whose answers to some paths, or refusals of them, carry other data. */
export function changed({ fetch, replaced }: World, path: RegExp, change: Change): World {
  return {
    replaced,
    fetch: async (request) => {
      const response = await fetch(request.clone())
      if (!path.test(new URL(request.url).pathname) || !response.ok) return response
      const { data, ...rest } = await response.json<{ data: Record<string, unknown> }>()
      return Response.json({ ...rest, data: change(data, request) }, { status: response.status })
    },
  }
}

/** A world that refuses requests to a path. */
export function refusing(
  { fetch, replaced }: World,
  path: RegExp,
  refusal: { readonly status: number; readonly error: string; readonly details?: object },
): World {
  const { status, ...body } = refusal
  const refused = { success: false, message: 'refused', timestamp: Date.now(), ...body }
  return {
    replaced,
    fetch: (request) =>
      path.test(new URL(request.url).pathname) ? Promise.resolve(Response.json(refused, { status })) : fetch(request),
  }
}

const SIGNING = /^POST \/api\/(?:chain\/append|inception\/device.*|notes\/[^/]+)$/

/** The same world, and what a client sent there that needs a signature over a head or a note. */
export function watched({ fetch, replaced }: World): World & { readonly signed: string[] } {
  const signed: string[] = []
  return {
    replaced,
    signed,
    fetch: (request) => {
      const what = `${request.method} ${new URL(request.url).pathname}`
      if (SIGNING.test(what)) signed.push(what)
      return fetch(request)
    },
  }
}

/** An error with both pieces, which survive as JSON. */
export function expectEvidence(error: HistoryError): void {
  const { remembered, received, log } = JSON.parse(JSON.stringify(error)) as HistoryError
  expect({ remembered, received, log }).toEqual({
    remembered: error.remembered,
    received: error.received,
    log: error.log,
  })
  expect(remembered).not.toEqual(received)
}

/** What a client that knows the truth is told, what it asks, and the error that it must get. */
export interface Lie {
  readonly told: () => World
  readonly ask: (client: Client) => Promise<unknown>
  readonly error: abstract new (...parts: never[]) => HistoryError
  /** How many blocks, events or notes it may have signed: those on the true head, before the lie. */
  readonly signs?: number
}

/** A client with this memory finds the lie, has both pieces, signs nothing on it, and remembers what it knew. */
export async function expectFound(
  owner: { readonly identity: Identity } | { readonly device: Device },
  memory: MemoryValue,
  { told, ask, error, signs = 0 }: Lie,
): Promise<void> {
  const seen = watched(told())
  const client = clientIn(seen, owner, memory)
  const thrown: unknown = await ask(client).then(
    () => new Error('the lie was believed'),
    (reason: unknown) => reason,
  )
  expect(thrown).toBeInstanceOf(error)
  const found = thrown as HistoryError
  expectEvidence(found)
  expect(seen.signed).toHaveLength(signs)
  const piecesIn = ({ logs }: MemoryValue) =>
    logs.find(({ kind, of }) => kind === found.log.kind && of === found.log.of)?.pieces
  expect(piecesIn(await client.memory.export())).toEqual(piecesIn(memory))
}
