/**
 * The bytes of a record's file (workers/docs/pages/developer/restore.md, "The form of a record"): a header that anybody
 * can read, and what it authenticates.
 *
 * @module
 */
import { concatBytes } from '@svc/protocol/base/bytes'
import { toHex } from '@svc/protocol/base/hash'
import { RecordFault } from './record-fault.ts'

export const RECORD_VERSION = 3
export const RECORD_MAGIC = 'svcrec'
export const KEY_ID_BYTES = 16
export const IV_BYTES = 12
const MAGIC_BYTES = 6
const KEY_ID_AT = MAGIC_BYTES + 2
const HEADER_BYTES = KEY_ID_AT + KEY_ID_BYTES

export interface RecordFile {
  /** Magic, version and id of the key. */
  readonly header: Uint8Array
  /** In hex. */
  readonly keyId: string
  readonly iv: Uint8Array<ArrayBuffer>
  readonly cipher: Uint8Array<ArrayBuffer>
}

export function headerOf(keyId: Uint8Array, magic: string, version: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  header.set(new TextEncoder().encode(magic))
  new DataView(header.buffer).setUint16(MAGIC_BYTES, version)
  header.set(keyId, KEY_ID_AT)
  return header
}

/** Additional data: binds a file to its name and its key. */
export function authenticatedOf(header: Uint8Array, key: string): Uint8Array<ArrayBuffer> {
  return concatBytes([header, new TextEncoder().encode(key)])
}

export function fileOf({ header, iv, cipher }: Omit<RecordFile, 'keyId'>): Uint8Array<ArrayBuffer> {
  return concatBytes([header, iv, cipher])
}

/** The parts of a file. `what` begins the message. */
export function parseFile(
  bytes: Uint8Array,
  { what, magic, version: expected }: { readonly what: string; readonly magic: string; readonly version: number },
): RecordFile {
  const expectedMagic = new TextEncoder().encode(magic)
  const isRecord = bytes.length > HEADER_BYTES + IV_BYTES && expectedMagic.every((byte, index) => bytes[index] === byte)
  if (!isRecord) throw new RecordFault(`${what} has no header: it is of an older form, or no record`)
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint16(MAGIC_BYTES)
  if (version !== expected)
    throw new RecordFault(`${what} is of version ${version}, and this code reads version ${expected}`)
  return {
    header: bytes.slice(0, HEADER_BYTES),
    keyId: keyIdIn(bytes),
    iv: bytes.slice(HEADER_BYTES, HEADER_BYTES + IV_BYTES),
    cipher: bytes.slice(HEADER_BYTES + IV_BYTES),
  }
}

/** In hex, of a file that has a header. */
export function keyIdIn(bytes: Uint8Array): string {
  return toHex(bytes.slice(KEY_ID_AT, HEADER_BYTES))
}
