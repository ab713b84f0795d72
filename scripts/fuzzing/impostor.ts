/**
 * Stands between a client and the services. Before a request with a signature passes, the impostor sends it with what the
 * same key signed as something else: another signature, or another statement with its own signature.
 *
 * @module
 */

import { freshAddress } from '@svc/platform/callers/send'
import { type Api, operationAt } from '@svc/platform/documented-api'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import type { MlDsa65 } from '@svc/pqc'
import { decodeBase64url, encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { Judge } from './judge.ts'
import type { SignedKind } from './signed-kinds.ts'

type Json = Readonly<Record<string, unknown>>
type Fetch = typeof globalThis.fetch

export interface ImpostorOptions {
  readonly urls: Readonly<Record<WorkerName, string>>
  readonly api: Api
  readonly kinds: readonly SignedKind[]
  readonly mlDsa65: MlDsa65
  readonly fetch: Fetch
}

/** What a key signed. */
interface Signed {
  readonly seed: Uint8Array
  readonly bytes: Uint8Array
}

/** A signature in a body: the names and positions that lead to it. */
interface Place {
  readonly path: readonly (string | number)[]
  readonly signed: Signed
}

interface Expectation {
  /** The kind that is signed at the place. */
  readonly own: string
  readonly id: string
  /** The statements that the operation takes: one of these with its own signature is a request of another meaning. */
  readonly expected: ReadonlySet<string>
  /** How many other kinds are presented. */
  readonly most: number
}

const SCHEME = 'ServiceAssertion '
const MUTATING = ['POST', 'PUT', 'PATCH', 'DELETE']
/** These answer whether a signature is valid, for anybody's signature. */
const VERDICTS = ['verifySignature', 'verifyBatch', 'verifyWithKeyStatus', 'verifyPqc']
/** These count every attempt of an identity, so that a whole battery would use up what the walk-through needs. */
const COUNTED = ['registerImage', 'registerVideo']
const OF_COUNTED = 5
const AT_ONCE = 8

export class Impostor {
  readonly #options: ImpostorOptions
  readonly #signed = new Map<string, Signed>()
  readonly #seen = new Set<string>()
  readonly #judge: Judge
  /** Operations at whose signatures something was presented, as `service operationId`. */
  readonly reached = new Set<string>()
  /** A sentence for each presentation that was not refused. */
  readonly taken: string[] = []
  presented = 0

  constructor(options: ImpostorOptions) {
    this.#options = options
    this.#judge = new Judge(options.api)
  }

  /** How many signatures were replaced: by operation, place in its body, and kind. */
  get places(): number {
    return this.#seen.size
  }

  /** Signs like the library, and remembers by which key. */
  readonly sign = async (seed: Uint8Array, message: Uint8Array): Promise<Uint8Array> => {
    const signature = await this.#options.mlDsa65.sign(seed, message)
    this.#signed.set(encodeBase64url(signature), { seed, bytes: message.slice() })
    return signature
  }

  readonly fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    if (MUTATING.includes(request.method)) await this.#impersonate(request.clone())
    return this.#options.fetch(request)
  }

  async #impersonate(request: Request): Promise<void> {
    const body = jsonOf(await request.text())
    const { origin, pathname } = new URL(request.url)
    const service = WORKER_NAMES.find((name) => this.#options.urls[name] === origin)
    if (body === null || service === undefined) return
    const operation = operationAt(this.#options.api.operations, service, request.method, pathname)
    if (!operation || VERDICTS.includes(operation.documented.operationId)) return
    const about = `${service} ${operation.documented.operationId}`
    const expected = typesIn(
      operation.documented.requestBody?.content['application/json']?.schema,
      service,
      this.#options.api,
    )
    const most = COUNTED.includes(operation.documented.operationId) ? OF_COUNTED : this.#options.kinds.length
    for (const place of this.#placesIn(body)) {
      const own = this.#kindOf(place.signed)
      const id = `${about} ${place.path.filter((name) => typeof name === 'string').join('.')} ${own}`
      if (this.#seen.has(id)) continue
      this.#seen.add(id)
      this.reached.add(about)
      await this.#presentAll(request, body, place, { own, id, expected, most })
    }
  }

  async #presentAll(request: Request, body: Json, place: Place, { own, id, expected, most }: Expectation) {
    const others = this.#options.kinds.filter(({ name }) => name !== own).slice(0, most)
    const presentations = others.flatMap((kind) => kind.instances.slice(0, 1).map((instance) => ({ kind, instance })))
    for (let at = 0; at < presentations.length; at += AT_ONCE)
      await Promise.all(
        presentations.slice(at, at + AT_ONCE).map(async ({ kind, instance }) => {
          const foreign = adapted(kind, instance, jsonOf(new TextDecoder().decode(place.signed.bytes)))
          const signatureB64u = encodeBase64url(
            await this.#options.mlDsa65.sign(place.signed.seed, kind.bytesOf(foreign)),
          )
          const statementAt = [...place.path.slice(0, -1), 'statement']
          const forgeries = [replaced(body, place.path, signatureB64u)]
          if (valueAt(body, statementAt) !== undefined && !expected.has(kind.name))
            forgeries.push(replaced(replaced(body, place.path, signatureB64u), statementAt, foreign))
          for (const forged of forgeries) await this.#present(request, forged, `${id}: ${kind.name}`)
        }),
      )
  }

  /** Must be refused with an error that says so. */
  async #present(request: Request, body: unknown, about: string): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const headers = new Headers(request.headers)
    headers.set('cf-connecting-ip', freshAddress())
    const authorization = headers.get('authorization')
    if (authorization !== null) headers.set('authorization', await this.#reasserted(authorization, bytes))
    const { method, url } = request
    const answer = await this.#options.fetch(url, { method, headers, body: bytes })
    const text = await answer.text()
    this.presented += 1
    const { status } = answer
    const { origin, pathname } = new URL(url)
    const service = WORKER_NAMES.find((name) => this.#options.urls[name] === origin) ?? 'core'
    const judged = { status, headers: Object.fromEntries(answer.headers), body: Buffer.from(text) }
    const fault = this.#judge.faultOf(service, method, pathname, judged)
    if (status >= 400 && status < 500 && status !== 429 && fault === null) return
    this.taken.push(`${about} answered ${status} ${fault ?? ''} ${text.slice(0, 200)}`)
  }

  /** The same assertion for another body. */
  async #reasserted(authorization: string, body: Uint8Array): Promise<string> {
    const [payload = '', signature = ''] = authorization.slice(SCHEME.length).split('.')
    const by = this.#signed.get(signature)
    const members = jsonOf(new TextDecoder().decode(decodeBase64url(payload) ?? new Uint8Array()))
    if (!by || !members) return authorization
    const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(18)))
    const bytes = new TextEncoder().encode(JSON.stringify({ ...members, nonce, bodyHash: hashHex(body) }))
    return `${SCHEME}${encodeBase64url(bytes)}.${encodeBase64url(await this.#options.mlDsa65.sign(by.seed, bytes))}`
  }

  #kindOf({ bytes }: Signed): string {
    return this.#options.kinds.find(({ takes }) => takes(bytes))?.name ?? 'other bytes'
  }

  #placesIn(value: unknown, path: readonly (string | number)[] = []): Place[] {
    if (typeof value === 'string') {
      const signed = this.#signed.get(value)
      return signed ? [{ path, signed }] : []
    }
    if (Array.isArray(value)) return value.flatMap((one, i) => this.#placesIn(one, [...path, i]))
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([name, inner]) => this.#placesIn(inner, [...path, name]))
  }
}

/** An instance of a kind that names the same realm, identity and time as what it stands for, as far as it can. */
function adapted(kind: SignedKind, instance: object, original: Json | null): object {
  let made = instance as Json
  for (const [name, value] of Object.entries(original ?? {})) {
    if (!(name in made) || name === 'type') continue
    const next = { ...made, [name]: value }
    if (kind.takes(kind.bytesOf(next))) made = next
  }
  return made
}

/** The types of statements that a schema names. */
export function typesIn(schema: unknown, service: WorkerName, api: Api, seen = new Set<unknown>()): Set<string> {
  if (typeof schema === 'string') return new Set(schema.startsWith('svc/') ? [schema] : [])
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return new Set()
  seen.add(schema)
  const inner = '$ref' in schema ? [api.resolve(service, schema)] : Object.values(schema)
  return new Set(inner.flatMap((one) => [...typesIn(one, service, api, seen)]))
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Readonly<Record<string | number, unknown>>)[name], value)
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], by: unknown): Json {
  if (name === undefined) return by as Json
  if (Array.isArray(value)) return value.with(Number(name), replaced(value[Number(name)], rest, by)) as unknown as Json
  const members = value as Json
  return { ...members, [name]: replaced(members[name], rest, by) }
}

function jsonOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : null
  } catch {
    return null
  }
}
