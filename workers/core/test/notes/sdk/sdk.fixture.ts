/** Shared by the SDK tests of notes: broken connections, lying services, and second deployments. */

import { env } from 'cloudflare:workers'
import { type ArchivedItem, Client, type ClientOptions, type Signing } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { didDocumentOf, didTime } from '@svc/protocol/did/did'
import type { NoteAnswer } from '@svc/protocol/notes/api'
import { fetchOf, REALM, SERVICE_KEYS, type TestCaller, type TestDevice } from '@svc/testing'
import { CORE, send, sendWith } from '../../harness.ts'

export type Send = (request: Request) => Promise<Response>
export type Identity = TestCaller['identity']

/** A client of the same identity or device over another connection. */
export function clientOver(
  fetch: Send,
  owner: { readonly identity: Identity } | { readonly device: TestDevice['device'] },
  options: Pick<ClientOptions, 'former' | 'receiptKeyB64u'> = {},
): Client {
  // Each request comes from an address of its own, so that no limit interferes.
  const metered: Send = (request) => {
    request.headers.set('cf-connecting-ip', freshAddress())
    return fetch(request)
  }
  return new Client({
    core: CORE,
    did: 'https://did.test',
    ...SERVICE_KEYS,
    ...owner,
    ...options,
    fetch: fetchOf(metered),
  })
}

function freshAddress(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`
}

/** A connection on which answers to one kind of path carry other data. */
export function lying(path: RegExp, change: (data: never, request: Request) => unknown, fetch: Send = send): Send {
  return async (request) => {
    const response = await fetch(request)
    if (!path.test(new URL(request.url).pathname) || !response.ok) return response
    const { data, ...rest } = await response.json<{ data: never }>()
    return Response.json({ ...rest, data: change(data, request) })
  }
}

/** A connection that breaks on requests of one method, before or after the service has handled them. */
export function breaking(
  method: string,
  when: 'before' | 'after',
  times: number,
  fetch: Send = send,
): Send & { readonly broken: () => number } {
  let broken = 0
  const connection = async (request: Request) => {
    const breaks = request.method === method && broken < times
    if (breaks) broken += 1
    if (breaks && when === 'before') throw new TypeError('fetch failed')
    const response = await fetch(request)
    if (breaks) throw new TypeError('fetch failed')
    return response
  }
  return Object.assign(connection, { broken: () => broken })
}

/** A resolver’s answer for an identity; its key-agreement statement can be missing. */
export interface Resolved extends Pick<Identity, 'did' | 'scope' | 'userId' | 'epoch' | 'publicKeyB64u'> {
  keyAgreement(signing: Signing): Promise<SignedKeyAgreement | null>
}

/** A resolver that knows these identities, in front of core. */
export function resolving(identities: readonly Resolved[], fetch: Send = send): Send {
  return async (request) => {
    const url = new URL(request.url)
    if (url.hostname !== 'did.test') return fetch(request)
    const did = decodeURIComponent(url.pathname.slice('/1.0/identifiers/'.length))
    const identity = identities.find((one) => one.did === did)
    if (!identity) return Response.json({}, { status: 404 })
    const { scope, epoch, publicKeyB64u } = identity
    const keyAgreement = await identity.keyAgreement({ realm: REALM, now: Date.now() })
    const authority = { did, scope, epoch, publicKeyB64u, keyAgreement }
    return Response.json({
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument: didDocumentOf(authority, []),
      didDocumentMetadata: {},
      didResolutionMetadata: { retrieved: didTime(Date.now()) },
    })
  }
}

/** The same objects under other names. */
function beside(name: string, objects: { getByName(name: string): unknown }) {
  return { getByName: (own: string) => objects.getByName(`${name}/${own}`) }
}

/** What another deployment signs its receipts with. */
export const OTHER_RECEIPT_KEY = encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(0x0b)))

/** Another, empty deployment, with a receipt key of its own. */
export function deployment(name: string): Send {
  const { IDENTITIES, NOTE_VAULTS } = env
  const serve = sendWith({
    IDENTITIES: beside(name, IDENTITIES),
    NOTE_VAULTS: beside(name, NOTE_VAULTS),
    RECEIPT_SEED: '0b'.repeat(32),
  })
  return async (request) => {
    // As every HTTP client does.
    const body = new Uint8Array(await request.arrayBuffer())
    if (body.length === 0) return serve(request)
    const headers = new Headers(request.headers)
    headers.set('content-length', String(body.length))
    return serve(new Request(request.url, { method: request.method, headers, body }))
  }
}

/** Core’s answer for a note, as any permitted reader gets it. */
export async function answerOf({ identity }: TestCaller, noteId: string): Promise<NoteAnswer> {
  let answer: NoteAnswer | undefined
  const peeking = lying(new RegExp(`/${noteId}$`), (data: NoteAnswer) => {
    answer = data
    return data
  })
  await clientOver(peeking, { identity })
    .notes.get(noteId)
    .catch(() => null)
  if (!answer) throw new Error('core has no such note')
  return answer
}

/** Names of the keys that a note is encrypted to. */
export async function readersOf(owner: TestCaller, noteId: string): Promise<string[]> {
  return (await answerOf(owner, noteId)).statement.wrappedKeys.map((wrapped) => wrapped.kemKeyId)
}

export async function exportOf({ notes }: Client): Promise<ArchivedItem[]> {
  const items: ArchivedItem[] = []
  for await (const item of notes.export()) items.push(item)
  return items
}

/** Every version of every readable note of a vault, by name, with its contents. */
export async function contentsOf(client: Client) {
  const contents: Record<string, unknown[]> = {}
  for (const { noteId, status } of (await client.notes.list({ limit: 1000 })).notes) {
    if (status === 'tombstoned') continue
    const versions = await client.notes.history(noteId)
    contents[noteId] = await Promise.all(
      versions.map(async ({ version, recordHash }) => {
        const { title, body, tags, attachments } = await client.notes.get(noteId, version)
        return { version, recordHash, title, body, tags, attachments: attachments.map(({ name }) => name) }
      }),
    )
  }
  return contents
}

/** The texts of a note’s versions, oldest first. */
export async function bodiesOf({ notes }: Client, noteId: string): Promise<string[]> {
  const versions = await notes.history(noteId)
  return Promise.all(versions.map(async ({ version }) => (await notes.get(noteId, version)).body))
}

export function filled(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 16)) & 255)
}
