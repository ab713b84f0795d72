/**
 * Signed notes (c2sp.org/signed-note): a text, an empty line, and one line per signature.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { base64 } from '@scure/base'
import { err, ok, type Result } from '#protocol/base/result'

/** One byte tells what a key signs. The first is for notes of any kind, the others for checkpoints. */
export const SIGNATURE_TYPES = { ed25519: 0x01, ed25519Cosignature: 0x04, mlDsa44Cosignature: 0x06 } as const
export type SignatureType = (typeof SIGNATURE_TYPES)[keyof typeof SIGNATURE_TYPES]

export interface NoteSignature {
  readonly name: string
  readonly keyId: number
  /** What follows the key id. */
  readonly signature: Uint8Array
}

export interface Note {
  /** With its final newline, without the empty line. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** The specification asks for 16; each may be of 5 kB. */
export const MAX_SIGNATURES = 64
const KEY_ID_BYTES = 4
const PREFIX = '— '
const KEY_NAME = /^[^\p{White_Space}+]+$/u
const SIGNATURE_LINE = /^— ([^\p{White_Space}+]+) ([A-Za-z0-9+/]+={0,2})$/u
const encoder = /* @__PURE__ */ new TextEncoder()

/** ASCII control characters other than newlines. */
function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 && code !== 0x0a) return true
  }
  return false
}

export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name) && !hasControls(name)
}

/** The first four bytes of SHA-256(name ‖ newline ‖ type ‖ public key), as a big-endian number. */
export function keyIdOf(name: string, type: SignatureType, publicKey: Uint8Array): number {
  const hash = sha256(new Uint8Array([...encoder.encode(`${name}\n`), type, ...publicKey]))
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
}

/** Null unless it is canonical base64 with padding (RFC 4648 section 4). */
export function base64Bytes(text: string): Uint8Array | null {
  try {
    return base64.decode(text)
  } catch {
    return null
  }
}

export function base64Text(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** Without the newline. */
export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  const bytes = new Uint8Array(KEY_ID_BYTES + signature.length)
  new DataView(bytes.buffer).setUint32(0, keyId)
  bytes.set(signature, KEY_ID_BYTES)
  return `${PREFIX}${name} ${base64.encode(bytes)}`
}

/** Null if the line, which has no newline, is not of this form. */
export function parseSignatureLine(line: string): NoteSignature | null {
  const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? []
  if (name === undefined || encoded === undefined || encoded.length % 4 !== 0) return null
  // Like other implementations, this ignores the bits behind the last byte: they are not part of the signature.
  const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
  if (bytes.length <= KEY_ID_BYTES) return null
  const keyId = new DataView(bytes.buffer).getUint32(0)
  return { name, keyId, signature: bytes.slice(KEY_ID_BYTES) }
}

/** Lines of signatures, each with its newline, as witnesses return them. Null if one is not of this form. */
export function parseSignatureLines(text: string): NoteSignature[] | null {
  if (!text.endsWith('\n') || hasControls(text)) return null
  const lines = text.slice(0, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return null
  const signatures = lines.flatMap((line) => parseSignatureLine(line) ?? [])
  return signatures.length === lines.length ? signatures : null
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map((signature) => `${signatureLine(signature)}\n`).join('')}`
}

/** Null if it is not a note with at least one signature. Verifies nothing. */
export function parseNote(note: string): Note | null {
  if (hasControls(note)) return null
  const end = note.lastIndexOf('\n\n')
  if (end < 1) return null
  const signatures = parseSignatureLines(note.slice(end + 2))
  return signatures && { text: note.slice(0, end + 1), signatures }
}

/** UTF-8, as it must be; null otherwise. */
export function noteText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

export interface NoteVerifier {
  readonly name: string
  readonly keyId: number
  verify(text: string, signature: Uint8Array): Promise<boolean>
}

export interface NoteSigner {
  readonly name: string
  readonly keyId: number
  /** The time is part of cosignatures only. */
  sign(text: string, now: number): Promise<Uint8Array>
}

export type NoteFault = 'unverified' | 'invalid_signature'

/**
 * The signatures by known keys, each key once. Signatures of other keys are ignored, even if they share a name or an id
 * with a known one. One false signature of a known key condemns the note.
 */
export async function verifyNote(
  { text, signatures }: Note,
  verifiers: readonly NoteVerifier[],
): Promise<Result<NoteSignature[], NoteFault>> {
  const verified: NoteSignature[] = []
  for (const signature of signatures) {
    const verifier = verifiers.find(({ name, keyId }) => name === signature.name && keyId === signature.keyId)
    if (!verifier || verified.some(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId)) continue
    if (!(await verifier.verify(text, signature.signature))) return err('invalid_signature')
    verified.push(signature)
  }
  return verified.length === 0 ? err('unverified') : ok(verified)
}

export async function signNote(text: string, signers: readonly NoteSigner[], now: number): Promise<Note> {
  const signatures = await Promise.all(
    signers.map(async (signer) => ({
      name: signer.name,
      keyId: signer.keyId,
      signature: await signer.sign(text, now),
    })),
  )
  return { text, signatures }
}
