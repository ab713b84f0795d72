import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { concatBytes } from '@svc/protocol/base/bytes'
import { type ErasureKeys, type OwnerHash, ownerHashOf } from './erasure-keys.ts'
import { byOwner } from './owned-rows.ts'
import { gunzipped, gzipped, type RecordedRows, type SealedPart, type UnsealedRecord } from './record.ts'
import { OwnerErased, RecordFault } from './record-fault.ts'
import { IV_BYTES } from './record-form.ts'

/** R2 serves six requests of one invocation at a time. */
const KEYS_AT_ONCE = 6

/** What a record has of an owner. */
interface Part {
  /** The object's, in its own part alone. */
  readonly name: string | null
  readonly facts: Readonly<Record<string, unknown>> | null
  readonly tables: readonly RecordedRows[]
}

export interface OpenedParts extends Part {
  readonly name: string
  /** Whether rows of somebody were left out, whose key is gone. */
  readonly isThinned: boolean
}

/** Seals what a record has of each owner. `file` is the key of the record in its bucket, which has class and object. */
export async function sealParts(
  { name, facts, tables }: Pick<UnsealedRecord, 'name' | 'facts' | 'tables'>,
  file: string,
  keys: ErasureKeys,
): Promise<SealedPart[]> {
  const parts = [...byOwner(tables, name)].map(([owner, own]): readonly [string, Part] => [
    owner,
    owner === name ? { name, facts, tables: own } : { name: null, facts: null, tables: own },
  ])
  return inTurn(parts, async ([owner, part]) => {
    const hash = await ownerHashOf(owner)
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const algorithm = { name: 'AES-GCM', iv, additionalData: contextOf(file, hash) }
    const { key } = await keys.ofWriter(hash)
    const cipher = await crypto.subtle.encrypt(algorithm, key, await gzipped(JSON.stringify(part)))
    return { owner: hash, sealedB64u: encodeBase64url(concatBytes([iv, new Uint8Array(cipher)])) }
  })
}

/** Opens what is of owners whose key is there. Rejects with `OwnerErased` if that of the object is not. */
export async function openParts(
  [own, ...others]: readonly SealedPart[],
  file: string,
  keys: ErasureKeys,
): Promise<OpenedParts> {
  const first = own && (await openPart(own, file, keys))
  if (!first || first.name === null) throw new OwnerErased()
  const opened = await inTurn(others, (part) => openPart(part, file, keys))
  const tables = [first, ...opened].flatMap((part) => part?.tables ?? [])
  return { name: first.name, facts: first.facts, tables, isThinned: opened.includes(null) }
}

async function openPart({ owner, sealedB64u }: SealedPart, file: string, keys: ErasureKeys): Promise<Part | null> {
  const found = await keys.ofReader(owner)
  if (!found) return null
  const bytes = bytesOf(sealedB64u)
  const algorithm = { name: 'AES-GCM', iv: bytes.slice(0, IV_BYTES), additionalData: contextOf(file, owner) }
  const plain = await crypto.subtle.decrypt(algorithm, found.key, bytes.slice(IV_BYTES)).catch(() => null)
  if (!plain) throw new RecordFault(`A part of record ${numberOf(file)} cannot be decrypted with its erasure key`)
  return JSON.parse(await gunzipped(new Uint8Array(plain))) as Part
}

function numberOf(file: string): number {
  return Number(file.slice(file.lastIndexOf('/') + 1))
}

/** No part passes for one of another record, or of another owner. */
function contextOf(file: string, owner: OwnerHash): Uint8Array<ArrayBuffer> {
  return concatBytes([new TextEncoder().encode(JSON.stringify(['svc/record-part/v1', file, owner]))])
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
    done.push(...(await Promise.all(all.slice(at, at + KEYS_AT_ONCE).map(work))))
  }
  return done
}
