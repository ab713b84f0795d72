import { env, exports } from 'cloudflare:workers'
import type { Device } from '@svc/client'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { type ConsentMessage, consentSignedBytes, type Preferences } from '@svc/protocol/consent/consent'
import { type Exchange, Prober } from '@svc/service/testing'
import {
  byHost,
  deviceOf,
  newCaller,
  signerOf,
  type TestCaller,
  type TestDevice,
  type TestDeviceOptions,
} from '@svc/testing'
import { service } from '../src/app.ts'

export const BASE = 'https://consent.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Sends to the same code over the same database with some bindings or variables replaced. */
export function sendWith(replaced: object): (request: Request) => Promise<Response> {
  const bindings = { ...env, ...replaced }
  return async (request) => service.app.fetch(request, bindings)
}

/** Core as the public reaches it. */
const { TEST_CORE } = env as unknown as { readonly TEST_CORE: Fetcher }
const shared = {
  fetch: byHost({ core: (request: Request) => TEST_CORE.fetch(request), consent: send }),
  origin: 'http://localhost:3000',
}

/** A caller of its own, whose identity exists at core unless told. */
export function caller(options: { readonly genesis?: boolean } = {}): Promise<TestCaller> {
  return newCaller({ ...options, ...shared })
}

/** A device of a caller of its own, or of the one that is given. */
export async function device(
  options: Omit<TestDeviceOptions, 'fetch'> & { readonly owner?: TestCaller } = {},
): Promise<TestDevice> {
  return deviceOf(options.owner ?? (await caller()), { ...shared, ...options })
}

/** An identifier that nobody else in this run has. */
export const freshHash = () => `test:${crypto.randomUUID()}`

export type Key = { readonly sign: (message: Uint8Array) => Promise<Uint8Array> } & {
  readonly did: string
  readonly key: string
}
export const rootKey = ({ identity }: TestCaller): Key => ({
  did: identity.did,
  key: identity.publicKeyB64u,
  sign: signerOf(identity),
})
export const deviceKey = (keys: Device, did = keys.did): Key => ({
  did,
  key: keys.devicePublicKeyB64u,
  sign: signerOf(keys),
})

/** The signature of a message as the documents give it, of no other part of the service. */
export async function signatureOf(by: Pick<Key, 'sign'>, message: ConsentMessage): Promise<string> {
  return encodeBase64url(await by.sign(consentSignedBytes(message)))
}

export interface Write {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const pathOf = (hash: string) => `/api/v1/consent/${encodeURIComponent(hash)}`
export const DISALLOW: Preferences = { ai_training: 'disallow' }

/** A creation, signed once: sent again it is the same one. */
export async function creation(by: Key, hash: string, preferences: Preferences = DISALLOW): Promise<Write> {
  const message = { content_hash: hash, preferences, creator_did: by.did }
  return {
    method: 'POST',
    path: '/api/v1/consent',
    headers: { 'x-svc-signature': await signatureOf(by, message) },
    body: JSON.stringify({ ...message, public_key_b64u: by.key }),
  }
}

export async function update(by: Key, hash: string, preferences: Preferences): Promise<Write> {
  const message = { content_hash: hash, preferences, creator_did: by.did }
  return {
    method: 'PUT',
    path: pathOf(hash),
    headers: { 'x-svc-signature': await signatureOf(by, message) },
    body: JSON.stringify({ public_key_b64u: by.key, preferences }),
  }
}

export async function deletion(by: Key, hash: string): Promise<Write> {
  const message = { content_hash: hash, action: 'delete' as const, creator_did: by.did }
  return {
    method: 'DELETE',
    path: pathOf(hash),
    headers: { 'x-svc-signature': await signatureOf(by, message) },
    body: JSON.stringify({ public_key_b64u: by.key }),
  }
}

/** Withdraws a claim to what another creator holds. */
export async function withdrawal(by: Key, hash: string): Promise<Write> {
  const write = await deletion(by, hash)
  return { ...write, body: JSON.stringify({ public_key_b64u: by.key, creator_did: by.did }) }
}

/** Sends a write, held to what the service declares. */
export function put(write: Write, replaced?: object): Promise<Exchange> {
  return new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send }).send(write)
}

export function get(path: string, headers: Record<string, string> = {}, replaced?: object): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  return prober.send({ method: 'GET', path, headers })
}

export const read = (hash: string, headers?: Record<string, string>) => get(pathOf(hash), headers)

/** The data of a write that was taken. */
export function dataOf({ status, body }: Exchange): Record<string, unknown> {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`)
  return (body as { data: Record<string, unknown> }).data
}
