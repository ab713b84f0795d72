import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { compressed, decompressed, type ObjectRecord } from './record.ts'

const IV_BYTES = 12
/** Files are read in the order of their keys. */
const DIGITS = 12
const UTF8 = new TextEncoder()

/** Where the records of a class are, and the deployment's seed that encrypts them: 64 hex characters. */
export interface RecordPlace {
  readonly bucket: R2Bucket
  readonly seed: string
  /** Of every key of the class, with its slash. */
  readonly prefix: string
}

/** A page of objects that have records. */
export interface RecordedNames {
  readonly names: readonly string[]
  /** How many more have a newest record that cannot be read. */
  readonly unreadable: number
  /** Null on the last page. */
  readonly next: string | null
}

/**
 * The records of the objects of one class, in R2: one file each, written once, encrypted with AES-256-GCM under a key of
 * the object. The key of the file is authenticated, so that no file passes for another.
 */
export class RecordFiles {
  readonly #bucket: R2Bucket
  readonly #prefix: string
  readonly #seed: string

  constructor({ bucket, seed, prefix }: RecordPlace) {
    this.#bucket = bucket
    this.#prefix = prefix
    this.#seed = seed
  }

  /** False if there is a record with this number: it is never replaced. Returns the size of what was written. */
  async create(record: ObjectRecord): Promise<{ readonly isCreated: boolean; readonly bytes: number }> {
    const folder = await this.#folderOf(record.name)
    const key = keyIn(folder, record.sequence)
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const cipher = await this.#cipherOf(folder, key, iv, async (algorithm, of) =>
      crypto.subtle.encrypt(algorithm, of, (await compressed(record)) as Uint8Array<ArrayBuffer>),
    )
    const bytes = new Uint8Array(IV_BYTES + cipher.byteLength)
    bytes.set(iv)
    bytes.set(new Uint8Array(cipher), IV_BYTES)
    const onlyIf = { etagDoesNotMatch: '*' }
    const put = await reaching('records', () => this.#bucket.put(key, bytes, { onlyIf }))
    return { isCreated: put !== null, bytes: bytes.length }
  }

  async read(name: string, sequence: number): Promise<ObjectRecord | null> {
    const folder = await this.#folderOf(name)
    const record = await this.#open(folder, sequence)
    if (record && record.name !== name) throw new Error('a record of another object')
    return record
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
        const record = newest === undefined ? null : await this.#open(folder, newest).catch(damaged)
        return record && { name: record.name, isGone: record.isGone === true }
      }),
    )
    // After everything in the last folder: `0` comes after `/`.
    const next = page.truncated ? `${page.delimitedPrefixes.at(-1)?.slice(0, -1)}0` : null
    const known = names.filter((named) => named !== null)
    const living = known.filter(({ isGone }) => !isGone)
    return { names: living.map(({ name }) => name), unreadable: names.length - known.length, next }
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

  async #open(folder: string, sequence: number): Promise<ObjectRecord | null> {
    const key = keyIn(folder, sequence)
    const bytes = await reaching('records', async () => {
      const file = await this.#bucket.get(key)
      return file && new Uint8Array(await file.arrayBuffer())
    })
    if (!bytes) return null
    const plain = await this.#cipherOf(folder, key, bytes.slice(0, IV_BYTES), (algorithm, of) =>
      crypto.subtle.decrypt(algorithm, of, bytes.slice(IV_BYTES)),
    )
    return decompressed(new Uint8Array(plain))
  }

  /** A hash of the name: listing the bucket shows no identifiers. */
  async #folderOf(name: string): Promise<string> {
    const digest = await crypto.subtle.digest('SHA-256', UTF8.encode(name))
    return `${this.#prefix}${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}/`
  }

  async #cipherOf<T>(
    folder: string,
    key: string,
    iv: Uint8Array,
    work: (algorithm: SubtleCryptoEncryptAlgorithm, key: CryptoKey) => Promise<T>,
  ): Promise<T> {
    const seed = Uint8Array.from(this.#seed.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16))
    const material = await crypto.subtle.importKey('raw', seed, 'HKDF', false, ['deriveKey'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: UTF8.encode('svc/records/v1'), info: UTF8.encode(folder) }
    const aes = { name: 'AES-GCM', length: 256 }
    const derived = await crypto.subtle.deriveKey(hkdf, material, aes, false, ['encrypt', 'decrypt'])
    return work({ name: 'AES-GCM', iv, additionalData: UTF8.encode(key) }, derived)
  }
}

/** What is not a fault of the store. */
function damaged(error: unknown): null {
  if (error instanceof DependencyFault) throw error
  return null
}

function keyIn(folder: string, sequence: number): string {
  return `${folder}${String(sequence).padStart(DIGITS, '0')}`
}
