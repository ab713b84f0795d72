import { sha3_384Hasher } from '@svc/pqc/sha3'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { vaultPrefix } from '../object-keys.ts'

export interface StoredObject {
  readonly r2Key: string
  readonly bytes: number
  readonly uploadedAt: number
}

export interface ByteWindow {
  readonly offset: number
  readonly length: number
}

/** R2's limit of keys per delete. */
const MAX_DELETE = 1_000

/** Ciphertexts in R2. Every upload gets a key of its own, which is written once. */
export class BlobStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  newKey(did: string, cipherHash: string): string {
    return `${vaultPrefix(did)}${cipherHash}/${toHex(crypto.getRandomValues(new Uint8Array(8)))}`
  }

  /** The hash of the ciphertext that a key was created for. */
  hashOfKey(r2Key: string): string {
    return r2Key.split('/').at(-2) ?? ''
  }

  async put(r2Key: string, bytes: Uint8Array): Promise<void> {
    await reaching('blobs', () => this.#bucket.put(r2Key, bytes))
  }

  /** Streams a body to R2 and returns its SHA3-384 as hex. Fails unless the body has exactly `length` bytes. */
  async putStream(r2Key: string, body: ReadableStream<Uint8Array>, length: number): Promise<string> {
    const hasher = sha3_384Hasher()
    const hashing = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        hasher.update(chunk)
        controller.enqueue(chunk)
      },
    })
    const measured = body.pipeThrough(hashing).pipeThrough(new FixedLengthStream(length))
    await reaching('blobs', () => this.#bucket.put(r2Key, measured))
    return toHex(hasher.digest())
  }

  /** The index names only written objects, so a missing object is a fault, never an empty blob. */
  open(r2Key: string, window?: ByteWindow): Promise<ReadableStream> {
    return reaching('blobs', async () => {
      const object = await this.#bucket.get(r2Key, window ? { range: window } : {})
      if (!object) throw new Error('a ciphertext is missing')
      return object.body
    })
  }

  get(r2Key: string): Promise<Uint8Array> {
    return reaching('blobs', async () => {
      const object = await this.#bucket.get(r2Key)
      if (!object) throw new Error('a ciphertext is missing')
      return new Uint8Array(await object.arrayBuffer())
    })
  }

  /** SHA3-384 of the stored object, read chunk by chunk. */
  async hashOf(r2Key: string): Promise<string> {
    const hasher = sha3_384Hasher()
    const body = (await this.open(r2Key)) as ReadableStream<Uint8Array>
    await reaching('blobs', async () => {
      for await (const chunk of body) hasher.update(chunk)
    })
    return toHex(hasher.digest())
  }

  has(r2Key: string): Promise<boolean> {
    return reaching('blobs', async () => (await this.#bucket.head(r2Key)) !== null)
  }

  async delete(r2Keys: readonly string[]): Promise<void> {
    for (let done = 0; done < r2Keys.length; done += MAX_DELETE) {
      await reaching('blobs', () => this.#bucket.delete(r2Keys.slice(done, done + MAX_DELETE)))
    }
  }

  /** Every object of a vault, page by page, in order of key. */
  async *list(did: string): AsyncGenerator<readonly StoredObject[]> {
    for (let cursor: string | undefined; ; ) {
      const at = cursor
      const page = await reaching('blobs', () =>
        this.#bucket.list({ prefix: vaultPrefix(did), ...(at === undefined ? {} : { cursor: at }) }),
      )
      yield page.objects.map(({ key, size, uploaded }) => ({ r2Key: key, bytes: size, uploadedAt: uploaded.getTime() }))
      if (!page.truncated) return
      cursor = page.cursor
    }
  }
}
