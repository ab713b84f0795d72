import { reaching } from '@svc/protocol/base/dependency-fault'

/** Larger payloads go to R2 instead of the identity's SQLite, so that scans of a chain stay small. */
export const MAX_INLINE_PAYLOAD_BYTES = 64 * 1024

/** Large chain payloads in R2. A key is derived from owner and content, and is written once. */
export class PayloadStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  keyOf(did: string, dataHash: string): string {
    return `chain/${did}/${dataHash}`
  }

  /** Idempotent. */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    await reaching('payloads', () => this.#bucket.put(key, bytes))
  }

  /** A pointer is written after its object, so a missing object is a fault, never an empty payload. */
  get(key: string): Promise<Uint8Array> {
    return reaching('payloads', async () => {
      const object = await this.#bucket.get(key)
      if (!object) throw new Error('Chain payload missing from R2')
      return new Uint8Array(await object.arrayBuffer())
    })
  }
}
