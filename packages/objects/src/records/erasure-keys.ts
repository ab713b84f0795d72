/**
 * Erasure keys: one for each owner of a class, in a bucket of its own that has neither lock nor export. What a record has
 * of an owner is sealed under that owner's key, so it cannot be opened any more once the key is deleted, wherever the
 * record was copied to.
 *
 * @module
 */
import { reaching } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { RecordFault } from './record-fault.ts'
import { keyIdIn } from './record-form.ts'
import type { RecordKeys } from './record-keys.ts'
import { openSealed, type Sealing, seal } from './sealed-file.ts'

const KEY_BYTES = 32
const MAGIC = 'svckey'
const VERSION = 1
const AES = { name: 'AES-GCM', length: 256 } as const
/** Another object of the class, or an erasure, may come in between. */
const MAX_TRIES = 4

/** SHA-256 of the owner, in hex. */
export type OwnerHash = string

interface ErasureKey {
  readonly key: CryptoKey
  /** Identifies this key: a replacement has another id. */
  readonly id: string
}

export class ErasureKeys {
  readonly #bucket: R2Bucket
  readonly #prefix: string
  readonly #keys: RecordKeys
  /** Of this object: a record does not cost a read for each window. */
  readonly #known = new Map<OwnerHash, ErasureKey>()

  constructor(bucket: R2Bucket, keys: RecordKeys, prefix: string) {
    this.#bucket = bucket
    this.#keys = keys
    this.#prefix = prefix
  }

  /**
   * For what is about to be written: made first if there is none, so that no record is without its key, and sealed anew
   * under a newer seed. One whose seed is lost opens nothing any more, nor do the records that it was for: it is replaced.
   */
  async ofWriter(owner: OwnerHash): Promise<ErasureKey> {
    const known = this.#known.get(owner)
    if (known) return known
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.#read(owner)
      const keyId = found && keyIdIn(found.bytes)
      const isReadable = keyId !== null && (await this.#keys.has(keyId))
      const raw = found && isReadable ? await this.#open(owner, found.bytes) : fresh()
      const isKept = keyId === (await this.#keys.newestId()).idHex
      // Never over a key that is not the one that was read, nor where one was deleted.
      if (isKept || (await this.#write(owner, raw, found?.etag ?? null))) return this.#keep(owner, raw)
    }
    throw new RecordFault('An erasure key changes each time it is written')
  }

  /** For what was written. Null if the key is gone: the owner was erased. */
  async ofReader(owner: OwnerHash): Promise<ErasureKey | null> {
    const known = this.#known.get(owner)
    if (known) return known
    const found = await this.#read(owner)
    return found && this.#keep(owner, await this.#open(owner, found.bytes))
  }

  /** Idempotent. Objects that have the key in memory have to forget it as well. */
  async delete(owner: OwnerHash): Promise<void> {
    await reaching('erasure keys', () => this.#bucket.delete(this.#prefix + owner))
    this.#known.delete(owner)
  }

  /** The next use of a key reads it from the bucket. */
  forget(): void {
    this.#known.clear()
  }

  async #read(owner: OwnerHash): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | null> {
    return reaching('erasure keys', async () => {
      const file = await this.#bucket.get(this.#prefix + owner)
      return file && { bytes: new Uint8Array(await file.arrayBuffer()), etag: file.etag }
    })
  }

  /** False if the bucket has no longer what `replaced` names, or has a key where that is null. */
  async #write(owner: OwnerHash, raw: Uint8Array<ArrayBuffer>, replaced: string | null): Promise<boolean> {
    const sealing = this.#sealing(owner)
    const file = await seal(sealing, raw)
    const onlyIf = replaced === null ? { etagDoesNotMatch: '*' } : { etagMatches: replaced }
    return (await reaching('erasure keys', () => this.#bucket.put(sealing.key, file, { onlyIf }))) !== null
  }

  #open(owner: OwnerHash, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    return openSealed(this.#sealing(owner), bytes, 'An erasure key')
  }

  async #keep(owner: OwnerHash, raw: Uint8Array<ArrayBuffer>): Promise<ErasureKey> {
    const key = await crypto.subtle.importKey('raw', raw, AES, false, ['encrypt', 'decrypt'])
    const id = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', raw)))
    const kept = { key, id }
    this.#known.set(owner, kept)
    return kept
  }

  #sealing(owner: OwnerHash): Sealing {
    const key = this.#prefix + owner
    return { magic: MAGIC, version: VERSION, keys: this.#keys, key, purpose: `erasure/${key}/` }
  }
}

function fresh(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES))
}

/** Listing the bucket, and the records of an owner who was erased, show no identifiers. */
export async function ownerHashOf(owner: string): Promise<OwnerHash> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner))))
}
