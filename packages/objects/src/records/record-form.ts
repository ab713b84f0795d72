/**
 * The bytes of a record's file (workers/docs/pages/developer/restore.md, "The form of a record"): a header that anybody
 * can read, and what it authenticates.
 *
 * @module
 */
import { concatBytes } from '@svc/protocol/base/bytes'
import { toHex } from '@svc/protocol/base/hash'
import { RecordFault } from './record-fault.ts'

export const RECORD_VERSION = 2
export const KEY_ID_BYTES = 16
export const IV_BYTES = 12
const MAGIC = new TextEncoder().encode('svcrec')
const KEY_ID_AT = MAGIC.length + 2
const HEADER_BYTES = KEY_ID_AT + KEY_ID_BYTES

export interface RecordFile {
  /** Magic, version and id of the key. */
  readonly header: Uint8Array
  /** In hex. */
  readonly keyId: string
  readonly iv: Uint8Array<ArrayBuffer>
  readonly cipher: Uint8Array<ArrayBuffer>
}

export function headerOf(keyId: Uint8Array): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  header.set(MAGIC)
  new DataView(header.buffer).setUint16(MAGIC.length, RECORD_VERSION)
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

/** The parts of a file. `sequence` is for the message. */
export function parseFile(bytes: Uint8Array, sequence: number): RecordFile {
  const isRecord = bytes.length > HEADER_BYTES + IV_BYTES && MAGIC.every((byte, index) => bytes[index] === byte)
  if (!isRecord) throw new RecordFault(`Record ${sequence} has no header: it is of an older form, or no record`)
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint16(MAGIC.length)
  if (version !== RECORD_VERSION)
    throw new RecordFault(`Record ${sequence} is of version ${version}, and this code reads version ${RECORD_VERSION}`)
  return {
    header: bytes.slice(0, HEADER_BYTES),
    keyId: toHex(bytes.slice(KEY_ID_AT, HEADER_BYTES)),
    iv: bytes.slice(HEADER_BYTES, HEADER_BYTES + IV_BYTES),
    cipher: bytes.slice(HEADER_BYTES + IV_BYTES),
  }
}
