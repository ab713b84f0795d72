/** Notes as signed by a client, and the log and export a vault makes of them. */
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { hashHex, toHex } from '../base/hash.ts'
import { signStatement, statementHash } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import { merkleRoot } from '../merkle/tree.ts'
import { noteKeyHash } from './data-key.ts'
import { changeLeaf, type ExportedChange, type NoteChange, type NoteExport } from './log.ts'
import { type NoteStatement, type NoteSubmission, noteAad } from './notes.ts'

export const NOW = 1_790_000_000_000
export const alice = await signerOf(1)
export const service = await signerOf(2)
const filled = (length: number, value: number) => encodeBase64url(new Uint8Array(length).fill(value))

const READER = { kemKeyId: filled(24, 1), kemCiphertextB64u: filled(1088, 2), ephemeralB64u: filled(32, 9) }
export const KWP = { ...READER, wrap: 'aes-kwp', wrappedB64u: filled(40, 3) } as const
export const GCM = { ...READER, wrap: 'aes-gcm', nonceB64u: filled(12, 4), wrappedB64u: filled(48, 5) } as const

/** A version of a note by Alice with a ciphertext of one repeated byte; members can be changed. */
export async function noteOf(
  noteId: string,
  byte: number,
  members: Partial<NoteStatement> = {},
  header: object = {},
): Promise<NoteSubmission> {
  const ciphertext = new Uint8Array(64).fill(byte)
  const head = {
    userId: alice.scope,
    noteId,
    deviceId: 'root',
    operation: 'create',
    contentType: 'application/octet-stream',
    contentLength: 64,
    timestamp: '2026-09-21T14:13:20.000Z',
    app: { name: 'tests', version: '1' },
    ...header,
  } as NoteStatement['header']
  const statement: NoteStatement = {
    type: 'svc/note/v2',
    realm: REALM,
    did: alice.did,
    keyId: alice.scope,
    header: head,
    aadB64u: noteAad(head),
    cipher: 'aes-256-gcm',
    nonceB64u: filled(12, 6),
    cipherHash: hashHex(ciphertext),
    keyHash: noteKeyHash(new Uint8Array(32).fill(byte)),
    wrappedKeys: [KWP],
    follows: null,
    inception: null,
    issuedAt: NOW,
    ...members,
  }
  return { ...(await signStatement(statement, alice.sign)), ciphertextB64u: encodeBase64url(ciphertext) }
}

const place = (noteId: string, kind: NoteChange['kind']) => ({
  seq: 0,
  noteId,
  kind,
  version: null,
  attachmentId: null,
  recordHash: null,
  acceptedAt: NOW,
  isErased: false,
  record: null,
  ciphertextB64u: null,
  bytes: null,
})

export function versionEntry({ ciphertextB64u, ...record }: NoteSubmission, version = 1): ExportedChange {
  const { noteId } = record.statement.header
  const recordHash = statementHash(record.statement)
  return { ...place(noteId, 'version'), version, recordHash, record, ciphertextB64u, bytes: 64 }
}

export function attachmentEntry(noteId: string, attachmentId: string): ExportedChange {
  return { ...place(noteId, 'attachment'), attachmentId, recordHash: 'a7'.repeat(48), bytes: 17 }
}

export function tombstoneEntry(noteId: string): ExportedChange {
  return place(noteId, 'tombstone')
}

/** An export's entry for a deleted note. */
export function erased(entry: ExportedChange): ExportedChange {
  return { ...entry, isErased: true, record: null, ciphertextB64u: null, bytes: null }
}

/** Entries at their log positions. */
export function logOf(entries: readonly ExportedChange[]): ExportedChange[] {
  return entries.map((entry, seq) => ({ ...entry, seq }))
}

/** The members covered by an entry's leaf. */
export function changeOf({
  seq,
  noteId,
  kind,
  version,
  attachmentId,
  recordHash,
  acceptedAt,
}: ExportedChange): NoteChange {
  return { seq, noteId, kind, version, attachmentId, recordHash, acceptedAt }
}

export function rootOf(entries: readonly ExportedChange[]): string {
  return toHex(merkleRoot(entries.map((entry) => changeLeaf(changeOf(entry)))))
}

/** An export of a log with `perPage` entries per page, under a correct manifest by default. */
export async function exportOf(
  log: readonly ExportedChange[],
  perPage = log.length || 1,
  manifest: Partial<NoteExport['manifest']['statement']> = {},
): Promise<NoteExport[]> {
  const { did } = alice
  const stated = { size: log.length, root: rootOf(log), ...manifest }
  const statement = {
    type: 'svc/note-manifest/v1',
    realm: REALM,
    did,
    length: stated.size,
    issuedAt: NOW,
    ...stated,
  } as const
  const signed = await signStatement(statement, service.sign)
  const pages: NoteExport[] = []
  for (let from = 0; from === 0 || from < log.length; from += perPage) {
    const next = from + perPage
    pages.push({
      format: 'svc/note-export/v1',
      manifest: { ...signed, publicKeyB64u: service.ownerPublicKey },
      entries: log.slice(from, next),
      cursor: next < log.length ? `${next}.${log.length}` : null,
    })
  }
  return pages
}
