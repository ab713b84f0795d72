/** Shared by the tests of notes: client-signed records, requests with malformed credentials, and the stored state. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { Result } from '@svc/protocol/base/result'
import { signStatement } from '@svc/protocol/base/statement'
import type { NoteIndex } from '@svc/protocol/notes/api'
import { noteKeyHash } from '@svc/protocol/notes/data-key'
import { type NoteStatement, type NoteSubmission, noteAad } from '@svc/protocol/notes/notes'
import type { TestCaller, TestDevice } from '@svc/testing'
import { signerOf as keyOf, REALM } from '@svc/testing'
import { CORE, send } from '../harness.ts'

export type Send = (request: Request) => Promise<Response>
export type Writer = TestCaller | TestDevice

const bytesOf = (length: number, value: number) => encodeBase64url(new Uint8Array(length).fill(value))

export const WRAPPED = {
  kemKeyId: bytesOf(24, 1),
  kemCiphertextB64u: bytesOf(1088, 2),
  ephemeralB64u: bytesOf(32, 9),
  wrap: 'aes-kwp',
  wrappedB64u: bytesOf(40, 3),
} as const

/** Bytes that no other ciphertext of this run has. */
export function freshCiphertext(length = 64): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i += 65_536) crypto.getRandomValues(bytes.subarray(i, i + 65_536))
  return bytes
}

export function freshName(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(9))).replace(/^[-_]/, 'x')
}

export function didOf(writer: Writer): string {
  return 'device' in writer ? writer.owner.identity.did : writer.identity.did
}

/** The signing key of a writer, and the name it uses. */
function signerOf(writer: Writer) {
  if ('device' in writer) {
    const { device, owner } = writer
    return {
      key: device.devicePublicKeyB64u,
      userId: owner.identity.userId,
      deviceId: device.deviceId,
      sign: keyOf(device),
    }
  }
  const { identity } = writer
  return {
    key: identity.publicKeyB64u,
    userId: identity.userId,
    deviceId: 'root',
    sign: keyOf(identity),
  }
}

export interface NoteParts {
  readonly noteId?: string
  readonly operation?: NoteStatement['header']['operation']
  readonly ciphertext?: Uint8Array
  /** Members added to the header before it is digested. */
  readonly header?: object
  /** Members added to the statement before it is signed. */
  readonly statement?: object
}

/** A version as its writer signs it, by default the first of a note. */
export async function noteBy(writer: Writer, parts: NoteParts = {}): Promise<NoteSubmission> {
  const { noteId = freshName(), operation = 'create', ciphertext = freshCiphertext() } = parts
  const { key, userId, deviceId, sign } = signerOf(writer)
  const now = Date.now()
  const header = {
    userId,
    noteId,
    deviceId,
    operation,
    contentType: 'application/octet-stream',
    contentLength: ciphertext.length,
    timestamp: new Date(now).toISOString(),
    app: { name: 'tests', version: '1' },
    ...parts.header,
  } as NoteStatement['header']
  const statement: NoteStatement = {
    type: 'svc/note/v2',
    realm: REALM,
    did: didOf(writer),
    keyId: userIdOfKey(key),
    header,
    aadB64u: noteAad(header),
    cipher: 'aes-256-gcm',
    nonceB64u: bytesOf(12, 4),
    cipherHash: hashHex(ciphertext),
    keyHash: noteKeyHash(ciphertext.slice(0, 32)),
    wrappedKeys: [WRAPPED],
    follows: null,
    inception: null,
    issuedAt: now,
    ...parts.statement,
  }
  return { ...(await signStatement(statement, sign)), ciphertextB64u: encodeBase64url(ciphertext) }
}

export interface Asked {
  readonly status: number
  /** Parsed, or `{}` if it is not JSON. */
  readonly body: Record<string, unknown>
  /** `data` of the envelope. */
  readonly data: Record<string, unknown>
  /** `error` of the envelope, or `details.error` of the structured error. */
  readonly error: unknown
  readonly headers: Headers
  readonly bytes: Uint8Array
}

export interface AskOptions {
  /** Sent as JSON, or as is if it is a string. */
  readonly json?: unknown
  /** Sent as octets. */
  readonly bytes?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the assertion. */
  readonly claims?: Record<string, unknown>
  readonly aud?: string
  readonly fetch?: Send
}

/** One request with a valid assertion of `by`, or none; each from an address of its own. */
export async function ask(by: Writer | null, method: string, path: string, options: AskOptions = {}): Promise<Asked> {
  const { json, bytes, claims, aud = 'notes', fetch = send } = options
  const headers = new Headers({ 'cf-connecting-ip': freshAddress() })
  if (by) headers.set('authorization', await by.assertion(aud, claims))
  if (json !== undefined) headers.set('content-type', 'application/json')
  if (bytes !== undefined) headers.set('content-type', 'application/octet-stream')
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  const body = bytes ?? (json === undefined || typeof json === 'string' ? json : JSON.stringify(json))
  const response = await fetch(new Request(CORE + path, { method, headers, ...(body === undefined ? {} : { body }) }))
  return askedOf(response)
}

async function askedOf(response: Response): Promise<Asked> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const body =
    isJson && bytes.length > 0 ? (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>) : {}
  const { details, data } = body as { details?: { error?: unknown }; data?: Record<string, unknown> }
  const error = 'code' in body ? details?.error : body['error']
  return { status: response.status, body, data: data ?? {}, error, headers: response.headers, bytes }
}

function freshAddress(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`
}

/** The path of a vault, or of something in it. */
export function vaultPath(writer: Writer, rest = ''): string {
  return `/api/notes/${didOf(writer)}${rest}`
}

/** Sends a version, by default a valid one. */
export async function post(writer: Writer, submission: unknown, options: AskOptions = {}): Promise<Asked> {
  return ask(writer, 'POST', vaultPath(writer), { json: submission, ...options })
}

/** A note stored in the vault. */
export async function stored(writer: Writer, parts: NoteParts = {}): Promise<NoteSubmission> {
  const submission = await noteBy(writer, parts)
  const { status, body } = await post(writer, submission)
  if (status !== 200) throw new Error(`not stored: ${status} ${JSON.stringify(body)}`)
  return submission
}

/** Uploads an attachment; `cipherHash` defaults to that of the bytes. */
export async function attach(
  writer: Writer,
  noteId: string,
  attachmentId: string,
  bytes: Uint8Array,
  options: AskOptions & { readonly cipherHash?: string } = {},
): Promise<Asked> {
  const { cipherHash = hashHex(bytes), headers, ...rest } = options
  const measured = { 'content-length': String(bytes.length), ...headers }
  const path = vaultPath(writer, `/${noteId}/attachments/${attachmentId}?cipherHash=${cipherHash}`)
  return ask(writer, 'PUT', path, { bytes: new Uint8Array(bytes), headers: measured, ...rest })
}

export function vaultOf(writer: Writer) {
  return env.NOTE_VAULTS.getByName(didOf(writer))
}

/** The stored state of a vault: its tables with their row counts, and its alarm. */
export async function kept(writer: Writer) {
  return runInDurableObject(vaultOf(writer), async (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => [name, storage.sql.exec(`SELECT 1 FROM "${name}"`).toArray().length] as const)
    return { tables: Object.fromEntries(tables), alarm: await storage.getAlarm() }
  })
}

export const NOTHING_KEPT = { tables: {}, alarm: null }

/** Inserts versions without requests: of one note, or of as many notes. */
export function plant(writer: Writer, noteId: string, count: number, operation: 'create' | 'update' = 'update') {
  return runInDurableObject(vaultOf(writer), async (vault) => {
    for (let i = 0; i < count; i++) {
      const name = operation === 'create' ? `${noteId}${i}` : noteId
      const upload = { r2Key: `planted/${freshName()}`, startedAt: Date.now() }
      const hashes = { recordHash: hex(), cipherHash: hex(), keyId: hex() }
      const version = { noteId: name, bytes: 16, operation, follows: null, record: '{}', ...hashes, ...upload }
      const planted = await vault.append(didOf(writer), version, { quotaBytes: 1e9 })
      if (!planted.ok) throw new Error('not planted')
    }
  })
}
const hex = () =>
  [...crypto.getRandomValues(new Uint8Array(48))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The keys of all stored objects of a vault. */
export async function storedKeys(writer: Writer): Promise<string[]> {
  const { objects } = await env.BLOBS.list({ prefix: `notes/${didOf(writer)}/` })
  return objects.map(({ key }) => key)
}

/** A page of the index, as a vault answers it. */
export function pageOf(answered: Result<string, unknown>): NoteIndex {
  if (answered.ok) return JSON.parse(answered.value) as NoteIndex
  throw new Error('The vault has no such page')
}
