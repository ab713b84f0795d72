import * as z from 'zod'
import { base64urlOf, bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { hashHexAsync, hashSchema } from '#protocol/base/hash'
import { type KnownInception, newerHead } from '#protocol/base/inception-head'
import { pure } from '#protocol/base/pure'
import { signStatement, statementHashAsync } from '#protocol/base/statement'
import type { NoteVersion } from '#protocol/notes/api'
import { noteKeyHash } from '#protocol/notes/data-key'
import {
  attachmentIdSchema,
  MAX_NOTE_CIPHERTEXT_BYTES,
  type NoteStatement,
  type NoteSubmission,
  noteAad,
} from '#protocol/notes/notes'
import { checkForm } from '../arguments/check-form.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { AppInfo } from '../ledger/assets.ts'
import type { Transport } from '../transport/transport.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { jsonIn, readContent } from '../verification/read-content.ts'
import { unverified } from '../verification/verification-error.ts'
import { decrypt, encrypt, newDataKey, unwrapKey, wrapKey } from './cipher.ts'
import { type NoteKeys, readersOf } from './keys.ts'
import type { NoteSigning } from './order/note-signing.ts'
import { pad, unpad } from './padding.ts'

const TAG_BYTES = 16

const attachedSchema = /* @__PURE__ */ pure(() =>
  z.object({
    attachmentId: attachmentIdSchema,
    name: z.string(),
    type: z.string(),
    bytes: z.int().min(0),
    keyB64u: base64urlOf(32),
    cipherHash: hashSchema,
  }),
)
/** An attachment as its note describes it, inside the ciphertext. */
export type AttachedFile = z.infer<typeof attachedSchema>

const contentSchema = /* @__PURE__ */ pure(() =>
  z.object({
    title: z.string(),
    body: z.string(),
    tags: z.array(z.string()),
    attachments: z.array(attachedSchema),
  }),
)

export type NoteContent = z.infer<typeof contentSchema>

/** A note in plaintext. */
export interface Note extends NoteContent, NoteSigning {
  readonly noteId: string
  /** Number of the version, from 1. */
  readonly version: number
  /** SHA3-384 of the signed statement, 96 hex characters: identifies this version. */
  readonly recordHash: string
  /** The version its writer had seen; null for the first. */
  readonly follows: string | null
  /** Position in the log of the vault. */
  readonly seq: number
  /** When the service accepted it, epoch ms. */
  readonly acceptedAt: number
  /** The userId of the key that signed it. */
  readonly keyId: string
  /** Ids of the keys that it is encrypted for: compare them with `notes.readers()`. */
  readonly readers: readonly string[]
}

/** What a version has besides its content. */
export interface NoteFacts {
  readonly noteId: string
  readonly operation: NoteStatement['header']['operation']
  readonly follows: string | null
  readonly ext: Record<string, string> | undefined
  /** The event that the version before names. */
  readonly after: KnownInception
}

/** Converts between plaintext notes and the records that the service stores. */
export class NoteRecords {
  readonly #owner: Identity | Device
  readonly #app: AppInfo
  readonly #keys: NoteKeys
  readonly #transport: Transport

  constructor(owner: Identity | Device, app: AppInfo, keys: NoteKeys, transport: Transport) {
    this.#owner = owner
    this.#app = app
    this.#keys = keys
    this.#transport = transport
  }

  /** Encrypts and signs a version. Throws a RangeError for more than 704 KiB. */
  async seal(content: NoteContent, { noteId, operation, follows, ext, after }: NoteFacts): Promise<NoteSubmission> {
    const owner = this.#owner
    const plaintext = pad(new TextEncoder().encode(JSON.stringify(content)))
    if (plaintext.length + TAG_BYTES > MAX_NOTE_CIPHERTEXT_BYTES)
      throw new RangeError('A note can have at most 704 KiB')
    const now = this.#transport.now()
    const header = {
      userId: owner.userId,
      noteId,
      deviceId: owner instanceof Identity ? 'root' : owner.deviceId,
      operation,
      contentType: 'application/octet-stream' as const,
      contentLength: plaintext.length + TAG_BYTES,
      timestamp: new Date(now).toISOString(),
      app: this.#app,
      ...(ext ? { ext } : {}),
    }
    const aadB64u = noteAad(header)
    const dataKey = newDataKey()
    const { nonce, ciphertext } = await encrypt(plaintext, dataKey, bytesOf(aadB64u))
    const place = { realm: this.#transport.realm, did: owner.did, noteId }
    const readers = await this.#keys.readers()
    const wrappedKeys = await Promise.all(readers.map((reader) => wrapKey(dataKey, reader, place)))
    const known = await this.#keys.known()
    const statement = {
      type: 'svc/note/v2',
      realm: this.#transport.realm,
      did: owner.did,
      keyId: this.#keys.keyId,
      header,
      aadB64u,
      cipher: 'aes-256-gcm',
      nonceB64u: encodeBase64url(nonce),
      cipherHash: await hashHexAsync(ciphertext),
      keyHash: noteKeyHash(dataKey),
      wrappedKeys,
      follows,
      inception: newerHead(known, after),
      issuedAt: now,
    } as const
    const signed = await signStatement(statement, signerOf(owner))
    return { ...signed, ciphertextB64u: encodeBase64url(ciphertext) }
  }

  /** Verifies and decrypts a version from the service or an export. When it was signed, it does not tell. */
  async open(stored: NoteVersion): Promise<Note> {
    const { statement, signatureB64u, noteId, version, recordHash, seq, acceptedAt } = stored
    const { header, keyId, follows } = statement
    const ciphertext = readBytesOf('note', 'ciphertextB64u', stored.ciphertextB64u)
    const isStated =
      statement.did === this.#owner.did &&
      header.noteId === noteId &&
      statement.aadB64u === noteAad(header) &&
      (await statementHashAsync(statement)) === recordHash &&
      (await hashHexAsync(ciphertext)) === statement.cipherHash
    if (!isStated) throw unverified('note', 'mismatch', 'The record does not match this note')
    await this.#keys.check({ statement, signatureB64u }, keyId)
    const aad = bytesOf(statement.aadB64u)
    const dataKey = await unwrapKey(statement, this.#keys.own)
    const padded = await decrypt({ nonce: bytesOf(statement.nonceB64u), ciphertext }, dataKey, aad)
    const content = readContent('note', contentSchema, jsonIn(unpad(padded)))
    const readers = readersOf(statement)
    const signing = { signer: null, order: 'unknown' } as const
    return { ...content, noteId, version, recordHash, follows, seq, acceptedAt, keyId, readers, ...signing }
  }
}

/** Throws an `ArgumentError` for what no reader of the note could take. */
export function checkContent(method: string, content: NoteContent): NoteContent {
  return checkForm(method, 'text', contentSchema, content)
}

export function contentOf({ title, body, tags, attachments }: Note): NoteContent {
  return { title, body, tags, attachments }
}

/** Merges a concurrent version: its text if it changed, and the files of both. */
export function merge(ours: NoteContent, theirs: Note, operation: NoteFacts['operation']): NoteContent {
  const text = operation === 'attach' ? ours : contentOf(theirs)
  const files = new Map([...theirs.attachments, ...ours.attachments].map((file) => [file.attachmentId, file]))
  return { ...text, attachments: [...files.values()] }
}

/** Whether a merge added nothing; a merge never removes a file. */
export function isSame(merged: NoteContent, content: NoteContent): boolean {
  const text = ({ title, body, tags }: NoteContent) => JSON.stringify([title, body, tags])
  return merged.attachments.length === content.attachments.length && text(merged) === text(content)
}
