import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { ErasureKeys, ownerHashOf } from './erasure-keys.ts'
import { openParts, sealParts } from './owned-parts.ts'
import {
  gunzipped,
  gzipped,
  type ObjectRecord,
  type RecordKeyIds,
  type SealedRecord,
  type UnsealedRecord,
} from './record.ts'
import { missing, OwnerErased, RecordFault } from './record-fault.ts'
import { keyIdIn, RECORD_MAGIC, RECORD_VERSION } from './record-form.ts'
import { RecordKeys } from './record-keys.ts'
import { openSealed, type Sealing, seal } from './sealed-file.ts'

/** Files are read in the order of their keys. */
const DIGITS = 12
const UTF8 = new TextEncoder()

/** Where the records of a class are, and the Worker's seeds that encrypt them, by version: 64 hex characters each. */
export interface RecordPlace {
  readonly bucket: R2Bucket
  readonly seeds: ReadonlyMap<number, string>
  /** Of every key of the class, with its slash. */
  readonly prefix: string
  /** The bucket of the erasure keys, which has neither lock nor export. */
  readonly erasureKeys: R2Bucket
}

/** A page of objects that have records. */
export interface RecordedNames {
  readonly names: readonly string[]
  /** How many more cannot be opened because their erasure key was deleted. */
  readonly erased: number
  /** How many more have a newest record that cannot be read. */
  readonly unreadable: number
  /** Null on the last page. */
  readonly next: string | null
}

/** The file of a record, as it is in the bucket. */
export interface WrittenFile {
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string
  readonly bytes: number
}

export interface ReadFile extends WrittenFile {
  readonly record: ObjectRecord
  /** Whether rows of owners are left out whose erasure key is gone. */
  readonly isThinned: boolean
}

interface OpenedFile extends WrittenFile {
  readonly record: SealedRecord
}

/**
 * The records of the objects of one class, in R2: one file each, written once, encrypted with AES-256-GCM under a key of
 * the object. Header and key of the file are authenticated, so that no file passes for another.
 */
export class RecordFiles {
  readonly #bucket: R2Bucket
  readonly #prefix: string
  readonly #keys: RecordKeys
  readonly #erasureKeys: ErasureKeys

  constructor({ bucket, seeds, prefix, erasureKeys }: RecordPlace) {
    this.#bucket = bucket
    this.#prefix = prefix
    this.#keys = new RecordKeys(seeds)
    this.#erasureKeys = new ErasureKeys(erasureKeys, this.#keys, prefix)
  }

  /** What the records of this class have of an owner cannot be opened any more. Idempotent. */
  async erase(owner: string): Promise<void> {
    await this.#erasureKeys.delete(await ownerHashOf(owner))
  }

  /** Erasure keys are read again before they are used, and made again if they are gone. */
  forgetKeys(): void {
    this.#erasureKeys.forget()
  }

  /** The ids of the keys that an object's next record is written under. Creates its erasure key if there is none. */
  async keysOf(name: string): Promise<RecordKeyIds> {
    const own = await this.#erasureKeys.ofWriter(await ownerHashOf(name))
    return { keyId: (await this.#keys.newestId()).idHex, erasureKeyId: own.id }
  }

  /** Null if there is a record with this number: it is never replaced. */
  async create(unsealed: UnsealedRecord): Promise<WrittenFile | null> {
    const folder = await this.#folderOf(unsealed.name)
    const key = keyIn(folder, unsealed.sequence)
    // Keys of owners are written before the first record that needs them.
    const { name: _, facts: __, tables: ___, marks, ...rest } = unsealed
    const parts = unsealed.isGone ? [] : await sealParts(unsealed, key, this.#erasureKeys)
    const { idHex: keyId } = await this.#keys.newestId()
    const record: SealedRecord = { version: RECORD_VERSION, keyId, ...rest, marks: numbered(marks), parts }
    const plain = await gzipped(JSON.stringify(record))
    const file = await seal(this.#sealing(key, folder), plain)
    const onlyIf = { etagDoesNotMatch: '*' }
    const put = await reaching('records', () => this.#bucket.put(key, file, { onlyIf }))
    return put && { hash: await hashOf(file), bytes: file.length }
  }

  /** Null if there is no such record. Rejects if it cannot be read. */
  async read(name: string, sequence: number): Promise<ReadFile | null> {
    const folder = await this.#folderOf(name)
    const file = await this.#open(folder, sequence)
    if (!file) return null
    const { parts, ...record } = file.record
    if (record.isGone) return { ...file, record: { ...record, name, facts: null, tables: [] }, isThinned: false }
    const { isThinned, ...opened } = await openParts(parts, keyIn(folder, sequence), this.#erasureKeys)
    if (opened.name !== name) throw new RecordFault(`Record ${sequence} is of another object`)
    return { ...file, record: { ...record, ...opened }, isThinned }
  }

  /** Like `read`, but also rejects if there is no such record. */
  async required(name: string, sequence: number): Promise<ReadFile> {
    const file = await this.read(name, sequence)
    if (!file) throw missing(sequence)
    return file
  }

  /** The numbers of the records of an object, ascending. */
  async sequences(name: string): Promise<number[]> {
    return this.#sequencesIn(await this.#folderOf(name))
  }

  async delete(name: string, sequences: readonly number[]): Promise<void> {
    if (sequences.length === 0) return
    const folder = await this.#folderOf(name)
    for (let done = 0; done < sequences.length; done += 1000) {
      const keys = sequences.slice(done, done + 1000).map((sequence) => keyIn(folder, sequence))
      await reaching('records', () => this.#bucket.delete(keys))
    }
  }

  /** The names of objects that have records, in an order of their own. `after` is `next` of the page before. */
  async names(after: string | null, limit: number): Promise<RecordedNames> {
    const options = { prefix: this.#prefix, delimiter: '/', limit, ...(after === null ? {} : { startAfter: after }) }
    const page = await reaching('records', () => this.#bucket.list(options))
    const names = await Promise.all(
      page.delimitedPrefixes.map(async (folder) => {
        const newest = (await this.#sequencesIn(folder)).at(-1)
        return newest === undefined ? null : this.#nameIn(folder, newest).catch(unnamed)
      }),
    )
    // After everything in the last folder: `0` comes after `/`.
    const next = page.truncated ? `${page.delimitedPrefixes.at(-1)?.slice(0, -1)}0` : null
    const of = (why: Unnamed) => names.filter((named) => named === why).length
    const known = names.filter((named) => named !== null && typeof named !== 'symbol')
    return { names: known, erased: of(ERASED), unreadable: of(UNREADABLE), next }
  }

  /** Null if the object is gone. */
  async #nameIn(folder: string, newest: number): Promise<string | null> {
    const file = await this.#open(folder, newest)
    if (!file || file.record.isGone) return null
    return (await openParts(file.record.parts.slice(0, 1), keyIn(folder, newest), this.#erasureKeys)).name
  }

  async #sequencesIn(folder: string): Promise<number[]> {
    const found: number[] = []
    for (let cursor: string | undefined; ; ) {
      const options = { prefix: folder, ...(cursor === undefined ? {} : { cursor }) }
      const page = await reaching('records', () => this.#bucket.list(options))
      found.push(...page.objects.map(({ key }) => Number(key.slice(folder.length))))
      if (!page.truncated) return found
      cursor = page.cursor
    }
  }

  async #open(folder: string, sequence: number): Promise<OpenedFile | null> {
    const key = keyIn(folder, sequence)
    const bytes = await reaching('records', async () => {
      const file = await this.#bucket.get(key)
      return file && new Uint8Array(await file.arrayBuffer())
    })
    if (!bytes) return null
    const what = `Record ${sequence}`
    const record = JSON.parse(
      await gunzipped(await openSealed(this.#sealing(key, folder), bytes, what)),
    ) as SealedRecord
    const keyId = keyIdIn(bytes)
    const isItself = record.version === RECORD_VERSION && record.keyId === keyId && record.sequence === sequence
    if (!isItself) throw new RecordFault(`Record ${sequence} says inside that it is another one`)
    return { record, hash: await hashOf(bytes), bytes: bytes.length }
  }

  #sealing(key: string, folder: string): Sealing {
    return { magic: RECORD_MAGIC, version: RECORD_VERSION, keys: this.#keys, key, purpose: folder }
  }

  /** A hash of the name: listing the bucket shows no identifiers. */
  async #folderOf(name: string): Promise<string> {
    return `${this.#prefix}${await hashOf(UTF8.encode(name))}/`
  }
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Keys of rows may name owners, and only the object itself goes on at them. */
function numbered(marks: UnsealedRecord['marks']): UnsealedRecord['marks'] {
  return Object.fromEntries(Object.entries(marks).filter(([, mark]) => !Array.isArray(mark)))
}

const ERASED = Symbol('erased')
const UNREADABLE = Symbol('unreadable')
type Unnamed = typeof ERASED | typeof UNREADABLE

/** Rejects if it is a fault of the store. */
function unnamed(error: unknown): Unnamed {
  if (error instanceof DependencyFault) throw error
  return error instanceof OwnerErased ? ERASED : UNREADABLE
}

function keyIn(folder: string, sequence: number): string {
  return `${folder}${String(sequence).padStart(DIGITS, '0')}`
}
