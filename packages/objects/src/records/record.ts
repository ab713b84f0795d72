/**
 * One record of an object: what of its state changed since the record before, as rows. Kept outside the object, so that
 * the object can be rebuilt from its records when it is lost.
 *
 * @module
 */
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { SchemaVersion } from '../schema.ts'

/** A value of SQLite in JSON: bytes are an object, everything else stands for itself. */
export type Cell = string | number | null | { readonly b: string }

/** The primary key of a row. */
export type RowKey = readonly Cell[]

/** Rows of one table. They replace what the table had from `from` on, or all of it if that is null. */
export interface RecordedRows {
  readonly table: string
  readonly from: number | null
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Of a table that is recorded by key: what these rows replace. A key without a row here has none any more. */
  readonly keys?: readonly RowKey[]
  /** Before it is sealed: the place of the owner in the keys, if they name one. */
  readonly ownerInKey?: number
}

/** How far a base has come with a table: the first key to come, or the last key that it has and null at the end. */
export type Mark = number | RowKey | null

export interface ObjectRecord {
  /** Of the form, as in the header of the file. */
  readonly version: number
  /** Of the key, in hex, as in the header of the file. */
  readonly keyId: string
  /** SHA-256 of the file of the record before, in hex; null in the first one. */
  readonly previous: string | null
  /** The name of the object. */
  readonly name: string
  /** Counts from 1. */
  readonly sequence: number
  /** Drawn by the object for this record alone: an object that does not know it has not written it. */
  readonly attempt: string
  /** The record that a rebuild begins with. */
  readonly base: number
  /** False if the rest of the state of this time is in the next records. */
  readonly isWhole: boolean
  /** The object was deleted. */
  readonly isGone?: true
  readonly writtenAt: number
  readonly schema: SchemaVersion
  /** Null if none has changed. */
  readonly facts: Readonly<Record<string, unknown>> | null
  readonly tables: readonly RecordedRows[]
  /** For each table that is only appended to: the key from which on rows may still come or change. */
  readonly marks: Readonly<Record<string, Mark>>
}

/** What a file has under the key of its object: values and rows are in parts. */
export interface SealedRecord extends Omit<ObjectRecord, 'name' | 'facts' | 'tables'> {
  /** The object's own is the first. None if it is gone. */
  readonly parts: readonly SealedPart[]
}

/** What is of one owner, under that owner's erasure key. */
export interface SealedPart {
  /** SHA-256 of the owner, in hex. */
  readonly owner: string
  /** IV and ciphertext. */
  readonly sealedB64u: string
}

/** The keys that an object's records are under. */
export interface RecordKeyIds {
  readonly keyId: string
  /** Of the object's own erasure key. */
  readonly erasureKeyId: string
}

/** What the object says of it: version and key are those of the file, and nothing is sealed yet. */
export type UnsealedRecord = Omit<ObjectRecord, 'version' | 'keyId'>

export function cellOf(value: SqlStorageValue): Cell {
  return value instanceof ArrayBuffer ? { b: encodeBase64url(new Uint8Array(value)) } : value
}

export function sqlValueOf(cell: Cell): SqlStorageValue {
  return typeof cell === 'object' && cell !== null ? bytesOf(cell.b).slice().buffer : cell
}

export function gzipped(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return through(new TextEncoder().encode(text), new CompressionStream('gzip'))
}

export async function gunzipped(bytes: Uint8Array): Promise<string> {
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('gzip')))
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(body).arrayBuffer())
}
