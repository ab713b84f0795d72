import type { Capability } from '@svc/protocol/base/device'
import { expect } from 'vitest'
import { type Operation, SIGNATURE_HEADER, takesAssertion } from '../app/operation.ts'
import type { ServiceApp } from '../app/service.ts'
import { type ApiDocument, documentOf } from '../openapi/document.ts'
import { conforms, errorNameOf } from './conforms.ts'

/** The Origin that the local configuration allows on every host, and one that nobody allows. */
export const ALLOWED_ORIGIN = 'http://localhost:3000'
export const FOREIGN_ORIGIN = 'https://foreign.example'

export interface Probe {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A string goes as JSON unless the headers say otherwise; bytes and streams go without a type. */
  readonly body?: BodyInit | undefined
  /** The caller's address; a fresh one unless given, so that no limit is in the way. */
  readonly address?: string | undefined
}

export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** The parsed body, which the service declares. */
  readonly body: unknown
  /** The named error of a failure. */
  readonly error: unknown
}

export interface ProbeTarget {
  readonly service: ServiceApp
  readonly send: (request: Request) => Promise<Response>
  /** Where the service is, as its configuration says: `https://did.test`. */
  readonly base: string
  /** Values of path parameters; `x` where none is given. */
  readonly params?: Readonly<Record<string, string>>
  /** Makes a caller whose identity exists; needed where routes take assertions. One sends everything. */
  readonly caller?: () => Promise<Presenter>
  /** Makes a device with exactly these capabilities; one of each kind sends everything. */
  readonly deviceWith?: (capabilities: readonly Capability[]) => Promise<Pick<Presenter, 'assertion'>>
  /** Makes something that a GET uses up, by the id of its operation: every such GET needs one. */
  readonly consumables?: Readonly<Record<string, () => Promise<Consumable>>>
}

/** What one GET takes, and no second one. */
export interface Consumable {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Where the Worker needs other bindings than the tests have. */
  readonly send?: (request: Request) => Promise<Response>
}

/** A DID, and good Authorization values of its own for an audience. */
export interface Presenter {
  readonly did: string
  readonly assertion: (audience: string) => Promise<string>
}

/** Every error names itself in a header, as its body does: not more, not less. */
function expectNamed({ status, headers }: Response, error: unknown): void {
  const name = headers.get('x-error-name')
  if (status < 400) expect(name).toBeNull()
  else if (typeof error === 'string' && headers.get('retry-after') === null) expect(name).toBe(error)
  else expect(name).toMatch(/^[A-Za-z_ ]+$/)
}

/** An address of the documentation range that nobody else in this run has. */
export function freshAddress(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${a.toString(16)}:${b.toString(16)}::1`
}

/** Sends requests to a service and holds each answer to what the service declares. */
export class Prober {
  readonly service: ServiceApp
  readonly base: string
  readonly #target: ProbeTarget
  readonly #devices = new Map<string, Promise<Pick<Presenter, 'assertion'>>>()
  #caller: Promise<Presenter> | undefined
  #document: ApiDocument | undefined

  constructor(target: ProbeTarget) {
    this.service = target.service
    this.base = target.base
    this.#target = target
  }

  /** What the live routes say of themselves, without examples. */
  get document(): ApiDocument {
    this.#document ??= documentOf(this.service)
    return this.#document
  }

  async send({ method, path, headers, body, address }: Probe): Promise<Exchange> {
    // A string would go as text/plain.
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const sender = { 'cf-connecting-ip': address ?? freshAddress() }
    const init: RequestInit = { method, headers: { ...sender, ...type, ...headers } }
    if (body !== undefined) init.body = body
    const response = await this.#target.send(new Request(this.base + path, init))
    const parsed = await conforms(this.service, response, { method, path: new URL(this.base + path).pathname })
    const error = errorNameOf(parsed)
    expectNamed(response, error)
    return { status: response.status, headers: response.headers, body: parsed, error }
  }

  get consumables(): readonly string[] {
    return Object.keys(this.#target.consumables ?? {})
  }

  /** Something that a GET of the operation uses up, and how to ask for it; the answer may be a socket. */
  async consumable({ id }: Operation): Promise<(method: 'GET' | 'HEAD') => Promise<Response>> {
    const make = this.#target.consumables?.[id]
    if (!make) throw new Error(`${id}: the battery needs something that it consumes`)
    const { path, headers, send = this.#target.send } = await make()
    return async (method) => {
      const request = new Request(this.base + path, { method, headers })
      request.headers.set('cf-connecting-ip', freshAddress())
      // The runtime makes a GET of every request that asks for a socket.
      if (method === 'HEAD') request.headers.delete('upgrade')
      const response = await send(request)
      const { webSocket } = response as { readonly webSocket?: { accept(): void; close(): void } | null }
      webSocket?.accept()
      webSocket?.close()
      return response
    }
  }

  /** A path of the operation, with its parameters filled in. */
  pathOf({ path }: Operation, own: Readonly<Record<string, string>> = {}): string {
    const fill = (name: string) => own[name] ?? this.#target.params?.[name] ?? 'x'
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fill(name)))
  }

  /** The Origin that a mutation needs where the service demands one of programs too. */
  originFor(method: string, path: string): Record<string, string> {
    return this.service.description.origins(method, path) === 'required' ? { origin: ALLOWED_ORIGIN } : {}
  }

  /** A good Authorization value of a device with exactly these capabilities. */
  async deviceAuthorization(capabilities: readonly Capability[], audience: string): Promise<string> {
    if (!this.#target.deviceWith) throw new Error('the battery needs a device')
    const name = capabilities.toSorted().join(' ')
    const device = this.#devices.get(name) ?? this.#target.deviceWith(capabilities)
    this.#devices.set(name, device)
    return (await device).assertion(audience)
  }

  /**
   * What a good caller of the operation sends besides a body: its own path, the Origin and the credential. `replaced` are
   * other path parameters.
   */
  async callFor(
    operation: Operation,
    replaced: Readonly<Record<string, string>> = {},
  ): Promise<{ path: string; headers: Record<string, string> }> {
    const method = operation.method.toUpperCase()
    const path = this.pathOf(operation, replaced)
    const origin = this.originFor(method, path)
    // Well-formed and nobody's: what stands behind it is asked only after everything that is checked here.
    if (operation.auth === 'token' && operation.tokenHeader)
      return { path, headers: { ...origin, [operation.tokenHeader]: 'A'.repeat(43) } }
    if (operation.auth === 'signature') return { path, headers: { ...origin, [SIGNATURE_HEADER]: 'A'.repeat(4412) } }
    if (!takesAssertion(operation)) return { path, headers: origin }
    const [audience] = operation.audiences
    if (!this.#target.caller) throw new Error(`${operation.id}: the battery needs a caller`)
    this.#caller ??= this.#target.caller()
    const { did, assertion } = await this.#caller
    const own = operation.owner === undefined ? {} : { [operation.owner]: did }
    return {
      path: this.pathOf(operation, { ...own, ...replaced }),
      headers: { ...origin, authorization: await assertion(audience) },
    }
  }
}

/**
 * Sends one more request than a quota allows, all from one address. The local limiter's windows are minutes of the
 * clock: a run that a new minute cuts in two says nothing and is made again.
 */
export async function exhaust(
  prober: Prober,
  probe: Probe,
  limit: number,
): Promise<{ readonly address: string; readonly within: Exchange[]; readonly beyond: Exchange }> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000)
    const address = freshAddress()
    const within: Exchange[] = []
    for (let i = 0; i < limit; i += 1) within.push(await prober.send({ ...probe, address }))
    const beyond = await prober.send({ ...probe, address })
    if (Math.floor(Date.now() / 60_000) !== minute) continue
    expect(within.filter(({ status }) => status === 429)).toEqual([])
    return { address, within, beyond }
  }
}
